import { PROBLEM_CODES, PROBLEMS, problemType } from '@gatehouse/contracts';
import { shared } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { readProblem, startServer } from '../support/server.ts';

const server = shared(startServer);

describe('a page about a problem', () => {
  it.each(['text/html', 'text/markdown', '*/*', ';;,q='])('is HTML for %s', async (accept) => {
    for (const path of ['/problems', '/problems/invalid-request']) {
      const response = await fetch(server().url + path, { headers: { accept } });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect((await response.text()).startsWith('<!doctype html>')).toBe(true);
    }
  });

  it.each(PROBLEM_CODES)(
    'shows code, status, title, meaning and remedy of %s, without a script',
    async (code) => {
      const response = await fetch(server().url + problemType(code));
      expect(response.headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; style-src 'sha256-\S+=';/,
      );
      const html = await response.text();
      const { status, title, meaning, remedy } = PROBLEMS[code];
      const text = html
        .replace(/<[^>]*>/g, '')
        .replaceAll('&quot;', '"')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>');
      for (const part of [code, String(status), title, meaning, remedy])
        expect(text).toContain(part.replaceAll('`', ''));
      expect(text).toContain(`"type": "${problemType(code)}"`);
      expect(html).not.toMatch(/<script|<link|<token>| on\w+=|style="/);
    },
  );

  it.each(['unknown', 'x'.repeat(9_000)])('does not exist for %s', async (name) => {
    const problem = await readProblem(await fetch(`${server().url}/problems/${name}`));
    expect(problem).toMatchObject({ status: 404, code: 'NotFound' });
  });

  it('is linked from the index', async () => {
    const index = await fetch(`${server().url}/problems`).then((page) => page.text());
    const links = [...index.matchAll(/href="([^"]+)"/g)].map(([, href]) => href);
    expect(links).toEqual(PROBLEM_CODES.map(problemType));
  });
});
