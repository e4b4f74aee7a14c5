import { createHash } from 'node:crypto';
import {
  PROBLEM_CODES,
  PROBLEM_MEDIA_TYPE,
  PROBLEMS,
  type ProblemCode,
  problemType,
  SERVICE_PATHS,
} from '@gatehouse/contracts';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { textResponse } from '../documentation/route-schema.ts';
import { exampleProblem } from './problem-error.ts';

const STYLE = `
:root { color-scheme: light dark; }
body { max-width: 42rem; margin: 3rem auto; padding: 0 1rem; font: 1rem/1.6 system-ui, sans-serif; }
code, pre { font: 0.9rem/1.5 ui-monospace, monospace; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
`;

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  // The pages load and run nothing but their own style, and nothing may frame them.
  'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
};

const INDEX: FastifySchema = {
  ...textResponse('text/html', 'A page.'),
  operationId: 'listProblems',
  summary: 'List all problems',
  description: 'An index of the pages about problems.',
};

const PAGE: FastifySchema = {
  ...textResponse('text/html', 'A page.'),
  operationId: 'getProblem',
  summary: 'Read about a problem',
  description:
    'The page to which the `type` of a problem leads: what happened, what to do, and an example.',
  problems: ['NotFound', 'MalformedUrl'],
};

/** Serves the page that the `type` of each problem leads to, and an index of them. */
export function serveProblemPages(app: FastifyInstance): void {
  const serve = (path: string, schema: FastifySchema, html: string) =>
    app.get(path, { schema }, (_request, reply) => reply.headers(HEADERS).send(html));
  const items = PROBLEM_CODES.map(
    (code) =>
      `<li>${PROBLEMS[code].status} <a href="${problemType(code)}">${PROBLEMS[code].title}</a>, <code>${code}</code></li>`,
  );
  serve(SERVICE_PATHS.problems, INDEX, page('Problems', `<ul>\n${items.join('\n')}\n</ul>`));
  for (const code of PROBLEM_CODES) serve(problemType(code), PAGE, problemPage(code));
}

function problemPage(code: ProblemCode): string {
  const { status, title, meaning, remedy } = PROBLEMS[code];
  const example = JSON.stringify(exampleProblem(code), null, 2);
  const content = `<p>Code <code>${code}</code>, HTTP status ${status}</p>
<h2>What happened</h2>
<p>${inline(meaning)}</p>
<h2>What to do</h2>
<p>${inline(remedy)}</p>
<h2>Example</h2>
<p>Sent as <code>${PROBLEM_MEDIA_TYPE}</code>:</p>
<pre>${escapeHtml(example)}</pre>
<p><a href="${SERVICE_PATHS.problems}">All problems</a></p>`;
  return page(title, content);
}

const page = (title: string, content: string) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${STYLE}</style>
<h1>${title}</h1>
${content}
</html>
`;

/** Text with code between backticks. */
const inline = (text: string) => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');

const escapeHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
