import { BOSS, findChromium, shared, startUpstream } from '@gatehouse/testing';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBound } from './support/bound.ts';
import { httpHost } from './support/host.ts';

const executablePath = findChromium();
if (executablePath === undefined)
  console.warn('LEFT OUT: approval pages in a browser. Install Chromium, or set CHROMIUM_PATH.');

describe.skipIf(executablePath === undefined)('an approval page in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    // Tests in a container run as root, and Chromium's sandbox does not work for root.
    const root = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    const args = [...root, '--host-resolver-rules=MAP evil.example 127.0.0.1'];
    browser = await chromium.launch({ executablePath: executablePath ?? '', args });
  });
  afterAll(() => browser.close());
  const bound = shared(startBound);
  const mcp = shared(() => bound().serve({ GATEHOUSE_APPROVER_TOKEN: BOSS }));

  /** Asks for approval of an action that tries to run scripts. Returns the page and the result. */
  async function ask() {
    const opened = Promise.withResolvers<string>();
    const host = await httpHost(mcp(), {
      browser: (url) => {
        opened.resolve(url);
        return { action: 'accept' };
      },
    });
    const attack = '</pre><script>document.title = "x"</script><img src=/x onerror="alert(1)">';
    const padding = '. '.repeat(400);
    const body = { attack, memo: `${padding}spend_limit allow: EUR 5.00 is within the limit.` };
    const result = host.request(bound().pay(25_000, { body }));
    const url = await opened.promise;
    return { url, attack, result, [Symbol.asyncDispose]: host[Symbol.asyncDispose] };
  }

  /** Lists the left edges of what is shown of the body, which takes several lines. */
  const LEFT_EDGES = `(() => {
    const range = document.createRange();
    range.selectNodeContents(
      [...document.querySelectorAll('pre div')].find((line) => line.textContent.includes('memo')),
    );
    return [...range.getClientRects()].map(({ left }) => left);
  })()`;

  it.each([
    ['Approve', 'executed', 1],
    ['Refuse', 'declined', 0],
  ])('its button %s decides, and its text runs nothing', async (name, state, sent) => {
    const before = bound().shop.requests.length;
    await using asked = await ask();
    const page = await browser.newPage();
    const requests: string[] = [];
    const faults: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    page.on('dialog', (dialog) => faults.push(dialog.message()));
    page.on('pageerror', ({ message }) => faults.push(message));
    page.on('console', (message) => faults.push(message.text()));
    await page.goto(asked.url);
    const shown = (await page.locator('pre div').allTextContents()).join('\n');
    expect(shown).toContain(`body: ${JSON.stringify({ attack: asked.attack }).slice(0, -1)}`);
    expect(shown).toMatch(/^spend_limit require_approval: EUR 250\.00 is above the limit/m);
    expect(await page.locator('pre > div > *, pre > :not(div)').count()).toBe(0);
    // Of a long line, only the beginning touches the left edge.
    const edges = await page.evaluate<number[]>(LEFT_EDGES);
    expect(edges.length).toBeGreaterThan(5);
    expect(Math.min(...edges.slice(1))).toBeGreaterThan(Number(edges[0]));
    expect(await page.title()).toBe('Gatehouse: approve a request');
    // The hash in the content security policy fits the style.
    const style = `getComputedStyle(document.querySelector('pre')).overflowWrap`;
    expect(await page.evaluate(style)).toBe('anywhere');

    await page.getByRole('button', { name }).click();
    await page.getByRole('heading', { name: /^You (approved|refused) the request$/ }).waitFor();
    expect((await asked.result).answer).toMatchObject({ state });
    expect(bound().shop.requests).toHaveLength(before + sent);
    expect(requests.filter((url) => !url.startsWith(asked.url))).toEqual([]);
    expect(faults).toEqual([]);
    await page.reload();
    await page.getByRole('heading', { name: 'There is nothing to approve here' }).waitFor();
    await page.close();
  });

  it('other sites can neither frame it, send its form, nor pretend to be its host', async () => {
    const before = bound().shop.requests.length;
    await using asked = await ask();
    await using evil = await startUpstream(({ url }, response) => {
      const framed = `<iframe src="${asked.url}"></iframe>`;
      const sent = `<form method="post" action="${asked.url}/approve"><button>Win</button></form>`;
      response.writeHead(200, { 'content-type': 'text/html' }).end(url === '/' ? framed : sent);
    });
    const page = await browser.newPage();
    await page.goto(evil.origin);
    expect(await page.frameLocator('iframe').getByRole('button').count()).toBe(0);

    const elsewhere = evil.origin.replace('127.0.0.1', 'evil.example');
    for (const origin of [evil.origin, elsewhere]) {
      await page.goto(`${origin}/form`);
      await page.getByRole('button').click();
      await page.getByRole('heading', { name: 'There is nothing to approve here' }).waitFor();
    }

    await page.goto(asked.url.replace('127.0.0.1', 'evil.example'));
    expect(await page.getByRole('button').count()).toBe(0);

    await page.goto(asked.url);
    await page.getByRole('button', { name: 'Refuse' }).click();
    expect((await asked.result).answer).toMatchObject({ state: 'declined' });
    expect(bound().shop.requests).toHaveLength(before);
    await page.close();
  });
});
