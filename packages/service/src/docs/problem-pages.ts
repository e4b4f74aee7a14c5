import { hash } from 'node:crypto';
import {
  PROBLEM_CODES,
  PROBLEM_MEDIA_TYPE,
  PROBLEMS,
  type ProblemCode,
  problemType,
  SERVICE_PATHS,
} from '@gatehouse/contracts';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { exampleProblem } from '../problems/problem-reply.ts';
import { textResponse } from './route-schema.ts';

const FOLDER = `${SERVICE_PATHS.problems}/`;

const STYLE = `
:root { color-scheme: light dark; }
body { max-width: 42rem; margin: 3rem auto; padding: 0 1rem; font: 1rem/1.6 system-ui, sans-serif; }
code, pre { font: 0.9rem/1.5 ui-monospace, monospace; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
`;

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
};

const INDEX: FastifySchema = {
  ...textResponse('text/html', 'A page.'),
  operationId: 'listProblems',
  summary: 'List all problems',
  description: 'A page that lists all problems, each with a link to its documentation.',
};

const PAGE: FastifySchema = {
  ...textResponse('text/html', 'A page.'),
  params: Type.Object({
    code: Type.Unsafe<string>({
      type: 'string',
      enum: PROBLEM_CODES.map((code) => problemType(code).slice(FOLDER.length)),
      description: 'The last path segment of the `type` in a problem document.',
    }),
  }),
  operationId: 'getProblem',
  summary: 'Read about a problem',
  description:
    'The page that the `type` of a problem points to. The page says what happened and what to do, and shows an example.',
  problems: ['NotFound', 'MalformedUrl'],
};

export function serveProblemPages(app: FastifyInstance): void {
  const items = PROBLEM_CODES.map(
    (code) =>
      `<li>${PROBLEMS[code].status} <a href="${problemType(code)}">${PROBLEMS[code].title}</a>, <code>${code}</code></li>`,
  );
  const index = page('Problems', `<ul>\n${items.join('\n')}\n</ul>`);
  const pages = new Map(PROBLEM_CODES.map((code) => [problemType(code), problemPage(code)]));
  app.get(SERVICE_PATHS.problems, { schema: INDEX }, (_request, reply) =>
    reply.headers(HEADERS).send(index),
  );
  app.get<{ Params: { code: string } }>(`${FOLDER}:code`, { schema: PAGE }, (request, reply) => {
    const html = pages.get(FOLDER + request.params.code);
    return html === undefined ? reply.callNotFound() : reply.headers(HEADERS).send(html);
  });
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

/** Converts plain text to HTML. Code in backticks becomes a `<code>` element. */
const inline = (text: string) => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');

const escapeHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
