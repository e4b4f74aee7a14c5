import type { Browser, Page } from 'playwright-core';

export interface Visit extends AsyncDisposable {
  readonly page: Page;
  readonly requests: readonly string[];
  /**
   * Failed requests, uncaught errors, and violations of the content-security-policy or of other
   * browser rules.
   */
  readonly faults: readonly string[];
}

export async function visit(browser: Browser, url: string): Promise<Visit> {
  const page = await browser.newPage();
  const requests: string[] = [];
  const faults: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('requestfailed', (request) => faults.push(`${request.url()} failed`));
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  await page.goto(url);
  return { page, requests, faults, [Symbol.asyncDispose]: () => page.close() };
}

/**
 * Uses "Try it out" on an operation, with its example or the given body, and returns the answer
 * that the page shows.
 */
export async function tryOut(
  page: Page,
  path: string,
  body?: unknown,
): Promise<{ status: string; answer: unknown }> {
  const operation = page.locator('.opblock', { has: page.locator(`[data-path="${path}"]`) });
  await operation.locator('.opblock-summary-control').click();
  await operation.getByRole('button', { name: 'Try it out' }).click();
  if (body !== undefined)
    await operation.locator('textarea.body-param__text').fill(JSON.stringify(body));
  await operation.getByRole('button', { name: 'Execute', exact: true }).click();
  const live = operation.locator('.live-responses-table');
  const status = await live.locator('tbody .response-col_status').first().textContent();
  const answer = await live.locator('tbody .highlight-code code').first().textContent();
  return { status: status?.trim() ?? '', answer: JSON.parse(answer ?? '') };
}
