import { buildApp as buildGateway } from '@gatehouse/example-gateway/app';
import { readConfig } from '@gatehouse/example-gateway/config';
import { findChromium, startService } from '@gatehouse/testing';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tryOut, type Visit, visit } from './support/visit.ts';

const executablePath = findChromium();
if (executablePath === undefined) {
  console.warn('LEFT OUT: /docs in a browser. Install Chromium, or set CHROMIUM_PATH.');
}

const SLOW = { timeout: 60_000 };

let browser: Browser;
const origins = { policy: '', executor: '', gateway: '' };
const running = new AsyncDisposableStack();

async function startAll(): Promise<void> {
  origins.policy = running.use(await startService('policy')).url;
  origins.executor = running.use(await startService('executor')).url;
  const gateway = buildGateway(
    readConfig({ GATEWAY_LOG_LEVEL: 'silent', GATEWAY_EXECUTOR_URL: origins.executor }),
  );
  running.defer(() => gateway.close());
  origins.gateway = await gateway.listen({ host: '127.0.0.1', port: 0 });
  // Tests in a container run as root, and Chromium's sandbox does not work for root.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  browser = await chromium.launch({ executablePath: executablePath ?? '', args });
  running.defer(() => browser.close());
}

function expectAtHome({ requests, faults }: Visit, origin: string): void {
  expect(new Set(requests.map((url) => new URL(url).origin))).toEqual(new Set([origin]));
  expect(faults).toEqual([]);
}

describe.skipIf(executablePath === undefined)('in Chromium', SLOW, () => {
  beforeAll(startAll, SLOW.timeout);
  afterAll(() => running.disposeAsync());

  it.each([
    ['policy', 'Gatehouse policy service', ['/policy/check']],
    ['executor', 'Gatehouse HTTP executor', ['/execute', '/sandbox']],
  ] as const)('/docs of the %s shows its operations', async (name, title, paths) => {
    await using visited = await visit(browser, `${origins[name]}/docs`);
    await visited.page.getByRole('heading', { name: title }).waitFor();
    for (const path of [...paths, '/healthz', '/readyz', '/openapi.json', '/problems']) {
      expect(await visited.page.locator(`.opblock [data-path="${path}"]`).isVisible(), path).toBe(
        true,
      );
    }
    expectAtHome(visited, origins[name]);
  });

  it('"Try it out" of a check shows a decision', () => tryPolicy());
  it('"Try it out" of the example gateway runs a plan', () => tryGateway());
  it('a token can be entered if the service requires one', typeToken);
  it('"Try it out" of an execution shows an outcome', () => tryExecutor());
  it.each([
    ['light', 'rgb(0, 0, 0)'],
    ['dark', 'rgb(255, 255, 255)'],
  ] as const)('a page about a problem is readable when all is %s', readProblemPage);
});

async function tryPolicy(): Promise<void> {
  await using visited = await visit(browser, `${origins.policy}/docs`);
  const { status, answer } = await tryOut(visited.page, '/policy/check');
  expect(status).toBe('200');
  expect(answer).toMatchObject({
    decision: 'allow',
    rules: [{ rule: 'spend_limit', outcome: 'allow' }, {}, {}, {}],
  });
  expect(visited.requests).toContain(`${origins.policy}/policy/check`);
  expectAtHome(visited, origins.policy);
}

async function tryGateway(): Promise<void> {
  await using visited = await visit(browser, `${origins.gateway}/docs`);
  const harmless = { spend: { amount_minor_units: 0, currency: 'EUR' }, pii: { categories: [] } };
  const action = { method: 'GET', url: `${origins.policy}/healthz` };
  const steps = [{ id: 'look', action, ...harmless, legal: { flags: [] } }];
  expect(await tryOut(visited.page, '/plans', { steps })).toMatchObject({
    status: '200',
    answer: { status: 'completed', steps: [{ state: 'executed' }] },
  });
  expectAtHome(visited, origins.gateway);
}

async function typeToken(): Promise<void> {
  await using policy = await startService('policy', { POLICY_API_TOKENS: 'planner:a-token' });
  await using visited = await visit(browser, `${policy.url}/docs`);
  const { page } = visited;
  await page.getByRole('button', { name: 'Authorize' }).click();
  await page.locator('.auth-container input').fill('a-token');
  await page.locator('.auth-container').getByRole('button', { name: 'Apply' }).click();
  await page.getByRole('button', { name: 'Close' }).last().click();
  expect((await tryOut(page, '/policy/check')).status).toBe('200');
  expectAtHome(visited, policy.url);
}

async function tryExecutor(): Promise<void> {
  await using visited = await visit(browser, `${origins.executor}/docs`);
  const action = { method: 'GET', url: `${origins.policy}/healthz` };
  const { status, answer } = await tryOut(visited.page, '/execute', action);
  expect(status).toBe('200');
  expect(answer).toMatchObject({
    outcome: 'success',
    status: 200,
    body: { status: 'ok' },
    attempts: 1,
  });
  expectAtHome(visited, origins.executor);
}

async function readProblemPage(colorScheme: 'light' | 'dark', color: string): Promise<void> {
  await using visited = await visit(browser, `${origins.executor}/problems/host-not-allowed`);
  await visited.page.emulateMedia({ colorScheme });
  expect(await visited.page.locator('h1').textContent()).toBe('Host not allowed');
  const style = 'getComputedStyle(document.body)';
  // These values come from an inline style, so the content-security-policy allows that style.
  expect(await visited.page.evaluate(`[${style}.maxWidth, ${style}.color]`)).toEqual([
    '672px',
    color,
  ]);
  expectAtHome(visited, origins.executor);
}
