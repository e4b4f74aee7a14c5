import { createHash } from 'node:crypto';
import { negotiate } from '@fastify/accept-negotiator';
import {
  PROBLEM_CODES,
  PROBLEM_MEDIA_TYPE,
  PROBLEMS,
  type ProblemCode,
  problemType,
  SERVICE_PATHS,
} from '@gatehouse/contracts';
import type { FastifyInstance } from 'fastify';
import { exampleProblem } from './problem-examples.ts';

const STYLE = `
:root { color-scheme: light dark; }
body { max-width: 42rem; margin: 3rem auto; padding: 0 1rem; font: 1rem/1.6 system-ui, sans-serif; }
h1 { margin-bottom: 0; line-height: 1.2; }
h2 { margin: 2rem 0 0; font-size: 1.1rem; }
code, pre { font: 0.9rem/1.5 ui-monospace, monospace; }
pre { padding: 1rem; border: 1px solid color-mix(in srgb, currentcolor 25%, transparent); border-radius: 6px; white-space: pre-wrap; overflow-wrap: anywhere; }
li { margin: 0.4rem 0; }
`;

/**
 * The pages are text and their own style; nothing else is loaded or run, and nothing may
 * frame them.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

interface Page {
  readonly html: string;
  readonly markdown: string;
}

/** Serves the page that the `type` of each problem refers to, and an index of them. */
export function serveProblemPages(app: FastifyInstance): void {
  servePage(app, SERVICE_PATHS.problems, indexPage());
  for (const code of PROBLEM_CODES) servePage(app, problemType(code), problemPage(code));
}

/** Markdown, for programs and terminals, unless HTML is asked for. */
const MEDIA_TYPES = ['text/markdown', 'text/html'];

function servePage(app: FastifyInstance, path: string, { html, markdown }: Page): void {
  app.get(path, (request, reply) => {
    // CORS may have said already that answers vary.
    reply.header('vary', [reply.getHeader('vary'), 'accept'].filter(Boolean).join(', '));
    const wanted = negotiate(request.headers.accept?.toLowerCase() ?? '*/*', MEDIA_TYPES);
    if (wanted !== 'text/html') return reply.type('text/markdown; charset=utf-8').send(markdown);
    return reply
      .header('content-security-policy', CONTENT_SECURITY_POLICY)
      .header('x-content-type-options', 'nosniff')
      .type('text/html; charset=utf-8')
      .send(html);
  });
}

function problemPage(code: ProblemCode): Page {
  const { status, title, meaning, remedy } = PROBLEMS[code];
  const example = JSON.stringify(exampleProblem(code), null, 2);
  return {
    markdown: `# ${title}\n\nCode \`${code}\`, HTTP status ${status}.\n\n## What happened\n\n${meaning}\n\n## What to do\n\n${remedy}\n\n## Example\n\n\`\`\`json\n${example}\n\`\`\`\n`,
    html: htmlPage(
      title,
      `<h1>${inline(title)}</h1>
<p>Code <code>${code}</code>, HTTP status ${status}</p>
<h2>What happened</h2>
<p>${inline(meaning)}</p>
<h2>What to do</h2>
<p>${inline(remedy)}</p>
<h2>Example</h2>
<p>Sent as <code>${PROBLEM_MEDIA_TYPE}</code>:</p>
<pre><code>${escapeHtml(example)}</code></pre>
<p><a href="${SERVICE_PATHS.problems}">All problems</a></p>`,
    ),
  };
}

function indexPage(): Page {
  const entries = PROBLEM_CODES.map((code) => ({
    code,
    path: problemType(code),
    ...PROBLEMS[code],
  }));
  const lines = entries.map(
    ({ code, path, status, title }) => `- ${status} [${title}](${path}), \`${code}\``,
  );
  const items = entries.map(
    ({ code, path, status, title }) =>
      `<li>${status} <a href="${path}">${inline(title)}</a>, <code>${code}</code></li>`,
  );
  return {
    markdown: `# Problems\n\n${lines.join('\n')}\n`,
    html: htmlPage('Problems', `<h1>Problems</h1>\n<ul>\n${items.join('\n')}\n</ul>`),
  };
}

function htmlPage(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${content}
</main>
</body>
</html>
`;
}

/** Text with code between backticks. */
function inline(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}
