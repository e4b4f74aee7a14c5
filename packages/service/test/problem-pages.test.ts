import { PROBLEM_CODES, PROBLEMS, problemType } from '@gatehouse/contracts';
import { describe, expect, it } from 'vitest';
import { startServer } from './support/server.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8';

const ACCEPTED: [name: string, accept: string | undefined, type: string][] = [
  ['a browser', BROWSER, 'text/html'],
  ['HTML alone', 'text/html', 'text/html'],
  ['HTML in capitals', 'TEXT/HTML', 'text/html'],
  ['anything', '*/*', 'text/markdown'],
  ['nothing said', undefined, 'text/markdown'],
  ['Markdown', 'text/markdown', 'text/markdown'],
  ['Markdown rather than HTML', 'text/html;q=0.5, text/markdown', 'text/markdown'],
  ['no HTML', 'text/html;q=0, */*', 'text/markdown'],
  ['JSON', 'application/json', 'text/markdown'],
  ['nonsense', ';;,q=', 'text/markdown'],
];

describe('a page about a problem', () => {
  it.each(ACCEPTED)('%s', async (_name, accept, type) => {
    await using server = await startServer();
    const headers = accept === undefined ? {} : { accept };
    for (const path of ['/problems', '/problems/invalid-request']) {
      const response = await fetch(server.url + path, { headers });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe(`${type}; charset=utf-8`);
      expect(response.headers.get('vary')).toBe('accept');
      expect(
        (await response.text()).startsWith(type === 'text/html' ? '<!doctype html>' : '# '),
      ).toBe(true);
    }
  });

  it.each(PROBLEM_CODES)(
    '%s: its code, status, title, meaning and remedy, without script',
    async (code) => {
      await using server = await startServer();
      const response = await fetch(server.url + problemType(code), {
        headers: { accept: BROWSER },
      });
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

  it('the index leads to each', async () => {
    await using server = await startServer();
    const index = await fetch(`${server.url}/problems`, { headers: { accept: BROWSER } }).then(
      (page) => page.text(),
    );
    const links = [...index.matchAll(/href="([^"]+)"/g)].map(([, href]) => href);
    expect(links).toEqual(PROBLEM_CODES.map(problemType));
  });
});
