import { hash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Choice = 'approve' | 'refuse';

/** Page that shows a request to the person at this machine, and accepts one choice. */
export interface ApprovalPage {
  readonly url: string;
  /** The person's choice, or undefined if the page was closed without a choice. */
  readonly choice: Promise<Choice | undefined>;
  readonly close: () => void;
}

export interface ApprovalPages {
  readonly open: (text: string) => ApprovalPage;
  readonly close: () => void;
}

interface OpenPage {
  readonly text: string;
  readonly choose: (choice?: Choice) => void;
}

const ADDRESS = '127.0.0.1';

/** Serves pages on a free loopback port. Each page has a random path, and disappears after use. */
export async function serveApprovalPages(): Promise<ApprovalPages> {
  const pages = new Map<string, OpenPage>();
  const server = createServer((request, response) => {
    const [status, content] = respond(request, `${ADDRESS}:${port}`, pages);
    response.writeHead(status, HEADERS).end(page(content));
  });
  server.listen(0, ADDRESS);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    open: (text) => {
      const id = randomUUID();
      const { promise: choice, resolve } = Promise.withResolvers<Choice | undefined>();
      const choose = (made?: Choice) => {
        pages.delete(id);
        resolve(made);
      };
      pages.set(id, { text, choose });
      return { url: `http://${ADDRESS}:${port}/${id}`, choice, close: () => choose() };
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/**
 * Responds to a browser:
 * 1. Another host name can belong to an attacker and resolve to 127.0.0.1 (DNS rebinding).
 * 2. Only an open page exists.
 * 3. GET shows the request, and changes nothing.
 * 4. POST makes the choice, unless another site sent it.
 */
function respond(
  { method, url = '', headers }: IncomingMessage,
  host: string,
  pages: ReadonlyMap<string, OpenPage>,
): readonly [status: number, content: string] {
  if (headers.host !== host) return [403, `<p>Open this page at ${host}.</p>`];

  const [, id = '', choice] = url.split('/');
  const opened = pages.get(id);
  if (opened === undefined) return [404, GONE];

  if (method === 'GET' && choice === undefined) return [200, question(id, opened.text)];

  if (method !== 'POST' || (choice !== 'approve' && choice !== 'refuse')) return [404, GONE];

  if ((headers['sec-fetch-site'] ?? 'same-origin') !== 'same-origin') return [403, GONE];

  opened.choose(choice);
  return [200, CHOSEN[choice]];
}

const STYLE = `
:root { color-scheme: light dark; }
body { max-width: 42rem; margin: 3rem auto; padding: 0 1rem; font: 1rem/1.6 system-ui, sans-serif; }
pre { font: 0.9rem/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
/* A long line continues with an indent, so that no part of it looks like a line of its own. */
pre div { min-height: 1.5em; padding-left: 2rem; text-indent: -2rem; }
button { font: inherit; padding: 0.3rem 1rem; margin-right: 1rem; }
`;

/** Headers of every response. The page loads nothing, and no other site can frame it. */
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  connection: 'close',
};

const page = (content: string) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Gatehouse: approve a request</title>
<style>${STYLE}</style>
${content}
</html>
`;

// `Refuse` is first, because a browser presses the first button if a person presses Enter.
const question = (id: string, text: string) => `<h1>Approve this request?</h1>
<p>An agent wants to send this request. The policy service has signed this text, and you approve exactly what it says.</p>
<pre>${text.split('\n').map(toLine).join('')}</pre>
<form method="post">
<button formaction="/${id}/refuse">Refuse</button>
<button formaction="/${id}/approve">Approve</button>
</form>`;

const BACK = 'Your agent host shows what happens next. You can close this page.';
const CHOSEN = {
  approve: `<h1>You approved the request</h1>\n<p>${BACK}</p>`,
  refuse: `<h1>You refused the request</h1>\n<p>${BACK}</p>`,
};
const GONE =
  '<h1>There is nothing to approve here</h1>\n<p>Each request has a page of its own, which disappears once you have chosen, or if you wait too long.</p>';

const toLine = (line: string) => `<div>${escapeHtml(line)}</div>`;

const escapeHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
