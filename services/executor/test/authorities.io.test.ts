import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { authority, certificate, runToExit, startUpstream } from '@gatehouse/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { startProcess } from './support/process.ts';

const folder = await mkdtemp(join(tmpdir(), 'gatehouse-'));
afterAll(() => rm(folder, { recursive: true }));

const file = async (name: string, content: string): Promise<string> => {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
};

describe('HTTP_EXECUTOR_UPSTREAM_CA_FILE', () => {
  it('adds to NODE_EXTRA_CA_CERTS, and other authorities stay untrusted', async () => {
    const [extra, first, second, stranger] = await Promise.all(
      ['extra', 'first', 'second', 'stranger'].map((name) => authority(name)),
    );
    await using service = await startProcess({
      NODE_EXTRA_CA_CERTS: await file('extra.crt', extra?.cert ?? ''),
      HTTP_EXECUTOR_UPSTREAM_CA_FILE: await file('ca.crt', `${first?.cert}\n${second?.cert}`),
    });
    const outcomes: unknown[] = [];
    for (const ca of [extra, first, second, stranger]) {
      await using upstream = await startUpstream({}, await certificate('localhost', ca));
      const outcome = await service.outcome({ method: 'GET', url: upstream.origin });
      outcomes.push(outcome.outcome === 'success' ? 'success' : outcome.message);
    }
    expect(outcomes).toEqual([
      'success',
      'success',
      'success',
      expect.stringMatching(/The TLS connection to `localhost:\d+` was not established \(\w+\)\./),
    ]);
  });

  it('prevents startup if the file is missing or has no certificate', async () => {
    const paths = [join(folder, 'missing.crt'), folder, await file('empty.crt', 'no certificate')];
    for (const path of paths) {
      const { code, output } = await runToExit('executor', {
        HTTP_EXECUTOR_UPSTREAM_CA_FILE: path,
      });
      expect(code).toBe(1);
      expect(output).toMatch(`HTTP_EXECUTOR_UPSTREAM_CA_FILE="${path}": must name a file`);
    }
  });
});
