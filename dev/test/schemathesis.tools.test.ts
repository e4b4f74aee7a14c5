import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from '@gatehouse/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { pythonProgramsIfAny } from './support/python.ts';
import { run } from './support/run.ts';

const programs = await pythonProgramsIfAny('schemathesis==4.32.5');
const RUN_MS = 280_000;
const OPTIONS = [
  '--checks',
  'all',
  '--warnings',
  'off',
  '--no-color',
  '--generation-deterministic',
];

/** Schemathesis writes its findings into its working directory. */
const cwd = mkdtempSync(join(tmpdir(), 'gatehouse-schemathesis-'));
afterAll(() => rmSync(cwd, { recursive: true }));

async function findings(url: string, ...more: string[]): Promise<string> {
  const program = join(programs ?? '', 'schemathesis');
  const args = ['run', `${url}/openapi.json`, ...OPTIONS, ...more];
  return await run({ cwd, timeoutMs: RUN_MS }, program, ...args);
}

describe.skipIf(programs === undefined)('Schemathesis finds nothing', () => {
  it('in the policy service', async () => {
    await using policy = await startService('policy');
    // If any number in a batch would lose digits, the service refuses the whole batch. JSON Schema
    // cannot express that rule.
    const batch = ['--exclude-checks', 'positive_data_acceptance'];
    expect(await findings(policy.url, ...batch)).toContain('No issues found');
  });

  it('in the executor, with a token', async () => {
    await using executor = await startService('executor', {
      // This is the only port that the examples use. Any server on this port is our own policy
      // service.
      HTTP_EXECUTOR_ALLOWED_HOSTS: 'localhost:8081',
      HTTP_EXECUTOR_API_TOKENS: 'of-a-planner',
    });
    const token = ['--header', 'authorization: Bearer of-a-planner'];
    // JSON Schema cannot express the grammar of `fields`, or which members go together.
    const grammar = ['--exclude-checks', 'positive_data_acceptance'];
    expect(await findings(executor.url, ...token, ...grammar)).toContain('No issues found');
  });
});
