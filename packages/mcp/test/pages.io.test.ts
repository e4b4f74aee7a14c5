import { request as sendRequest } from 'node:http';
import { shared } from '@gatehouse/testing';
import type { ElicitResult } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ANSWER_MS, Approvals } from '../src/approval.ts';
import { serveApprovalPages } from '../src/approval-pages.ts';

const ACCEPT: ElicitResult = { action: 'accept' };
const press = (url: string, button: string) => fetch(`${url}/${button}`, { method: 'POST' });

describe('a page', () => {
  const pages = shared(async () => {
    const served = await serveApprovalPages();
    return { ...served, [Symbol.asyncDispose]: async () => served.close() };
  });
  const undecided = async ({ choice }: { choice: Promise<unknown> }) =>
    expect(await Promise.race([choice, Promise.resolve('undecided')])).toBe('undecided');

  /** Sends a request whose headers `fetch` would not allow. Returns the status. */
  const send = (url: string, method: string, headers: Record<string, string>) =>
    new Promise((resolve, reject) => {
      const sent = sendRequest(url, { method, headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on('error', reject).end();
    });

  it('shows its text, runs nothing, loads nothing, and cannot be framed', async () => {
    const page = pages().open('<script>x</script>\n&lt;img src=x onerror=x>');
    expect(page.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\da-f-]{36}$/);
    const response = await fetch(page.url);
    const html = await response.text();
    expect(html).toContain(
      '<pre><div>&lt;script>x&lt;/script></div><div>&amp;lt;img src=x onerror=x></div></pre>',
    );
    expect(html).not.toMatch(/<(?:script|img|link|iframe)|\b(?:src|href)=(?!x)/);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
      ),
      ...{ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' },
      'x-content-type-options': 'nosniff',
    });
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    page.close();
  });

  it.each<[name: string, method: string, path: string, headers?: Record<string, string>]>([
    ['GET', 'GET', '/approve'],
    ['HEAD', 'HEAD', '/approve'],
    ['POST without a choice', 'POST', ''],
    ['POST of another choice', 'POST', '/constructor'],
    ['a query', 'POST', '/approve?x'],
    ['another host name', 'POST', '/approve', { host: 'evil.example' }],
    ['another host name that begins alike', 'POST', '/approve', { host: '127.0.0.1.evil.example' }],
    ['another port', 'POST', '/approve', { host: '127.0.0.1:1' }],
    ['another site', 'POST', '/approve', { 'sec-fetch-site': 'cross-site' }],
    ['another port of this machine', 'POST', '/approve', { 'sec-fetch-site': 'same-site' }],
  ])('%s approves nothing', async (_name, method, path, headers = {}) => {
    const page = pages().open('');
    expect([403, 404]).toContain(await send(`${page.url}${path}`, method, headers));
    await undecided(page);
    page.close();
  });

  it('another host name shows nothing (DNS rebinding)', async () => {
    const page = pages().open('secret');
    expect(await send(page.url, 'GET', { host: `evil.example:${new URL(page.url).port}` })).toBe(
      403,
    );
    page.close();
  });

  it('cannot be guessed, and does not lead to another page', async () => {
    const [page, other] = [pages().open('first'), pages().open('second')];
    const { origin } = new URL(page.url);
    for (const guess of [
      '',
      '/',
      '/approve',
      '/__proto__',
      '/constructor',
      `${page.url.slice(origin.length)}0`,
    ]) {
      expect((await fetch(`${origin}${guess}`)).status, guess).toBe(404);
      expect((await press(`${origin}${guess}`, 'approve')).status, guess).toBe(404);
    }
    await press(page.url, 'approve');
    expect(await page.choice).toBe('approve');
    await undecided(other);
    other.close();
  });

  it.each(['approve', 'refuse'])('takes the choice %s once, and disappears', async (button) => {
    const page = pages().open('');
    expect((await fetch(page.url)).status).toBe(200);
    const [first, second] = [await press(page.url, button), await press(page.url, 'approve')];
    expect([first.status, second.status]).toEqual([200, 404]);
    expect(await first.text()).toMatch(/You (?:approved|refused) the request/);
    expect(await page.choice).toBe(button);
    expect((await fetch(page.url)).status).toBe(404);
  });

  afterEach(() => vi.useRealTimers().restoreAllMocks());

  /** Asks a question on a page. `read` reads the answer of a host that calls again. */
  function ask() {
    const approvals = new Approvals();
    const asked = approvals.ask({ message: '', digest: 'd', host: {}, pages: pages() });
    const { url } = Object(asked?.inputRequests?.approval?.params);
    const { signal } = new AbortController();
    const read = (inputResponses: object | undefined, limitMs: number) => {
      const round = { inputResponses, requestState: () => asked?.requestState } as never;
      return approvals.readAnswer({ round, signal }, limitMs);
    };
    return { url, read, requestState: asked?.requestState };
  }

  it('lets the host call again until its user has chosen', async () => {
    const { url, read, requestState } = ask();
    const wait = { resultType: 'input_required', requestState };
    expect(await read({ approval: ACCEPT }, 1)).toEqual({ declined: false, wait });
    expect(await read(undefined, 1)).toEqual({ declined: false, wait });
    await press(url, 'approve');
    expect(await read(undefined, 1)).toEqual({ declined: false, digest: 'd', request: undefined });
    expect(await read(undefined, 1)).toEqual({ declined: false });
  });

  it('disappears when its question expires, and its question is then unanswered', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    vi.spyOn(performance, 'now').mockImplementation(() => Date.now());
    const { url, read } = ask();
    const answer = read({ approval: ACCEPT }, ANSWER_MS * 2);
    vi.advanceTimersByTime(ANSWER_MS - 1);
    expect((await fetch(url)).status).toBe(200);
    vi.advanceTimersByTime(1_000);
    expect((await press(url, 'approve')).status).toBe(404);
    expect(await answer).toEqual({ declined: false, undecided: true });
  });
});
