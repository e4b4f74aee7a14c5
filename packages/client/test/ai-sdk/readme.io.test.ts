import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { startProcess, startService } from '@gatehouse/testing';
import { expect, it } from 'vitest';

const readme = readFileSync(new URL('../../../../docs/ai-sdk.md', import.meta.url), 'utf8');
const [, program = ''] = /^```js\n(.*?)^```/ms.exec(readme) ?? [];
const [, transcript = ''] = /^```console\n(.*?)^```/ms.exec(readme) ?? [];

/** Replaces values that differ from run to run. */
const steady = (text: string) =>
  text
    .replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, '…')
    .replaceAll(/(?<="date":")[^"]+/g, '…')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:3000');

async function outputOf(env: Readonly<Record<string, string>>): Promise<string> {
  const file = new URL('./readme-example.mjs', import.meta.url);
  writeFileSync(file, program);
  try {
    await using loop = startProcess(file, { env });
    expect([await loop.ended, loop.stderr]).toEqual([{ code: 0, signal: null }, '']);
    return loop.stdout;
  } finally {
    rmSync(file);
  }
}

it('the loop of the README prints the transcript that it shows', async () => {
  const [policyService, executorService] = await Promise.all([
    startService('policy'),
    startService('executor', { HTTP_EXECUTOR_ALLOWED_HOSTS: '127.0.0.1' }),
  ]);
  await using policy = policyService;
  await using executor = executorService;
  const urls = { POLICY_URL: policy.url, EXECUTOR_URL: executor.url };
  expect(steady(await outputOf(urls))).toBe(transcript);
});
