import dns from 'node:dns';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGatedUpstream } from '@gatehouse/testing';
import { afterAll, expect, it, vi } from 'vitest';
import { SETTING_NAMES } from '../src/config.ts';
import { startExecutor } from './support/executor.ts';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-setting-names-'));
const file = join(folder, 'destinations.yaml');
writeFileSync(file, 'destinations: [{ host: 127.0.0.1 }]\n');
afterAll(() => rmSync(folder, { recursive: true }));

/** For each setting, an environment, and a URL that this setting would have to allow. */
const REFUSED: Readonly<Record<keyof typeof SETTING_NAMES, [Record<string, string>, string?]>> = {
  allowedHosts: [{}, 'http://elsewhere.test/'],
  destinations: [{ [SETTING_NAMES.destinations]: file }, 'http://elsewhere.test/'],
  allowedNetworks: [{ [SETTING_NAMES.allowedHosts]: 'private.test' }, 'http://private.test/'],
  maxExecutions: [{ [SETTING_NAMES.maxExecutions]: '1' }],
  maxExecutionsPerHost: [{ [SETTING_NAMES.maxExecutionsPerHost]: '1' }],
};

const toPrivateAddress = (async () => [
  { address: '10.0.0.1', family: 4 },
]) as unknown as typeof dns.promises.lookup;

it.each(Object.entries(REFUSED))(
  'a refusal names the setting that is called %s in the configuration',
  async (name, [env, url]) => {
    await using upstream = await startGatedUpstream();
    await using executor = await startExecutor({ HTTP_EXECUTOR_MAX_WAIT_MS: '50', ...env });
    const get = { method: 'GET', url: upstream.origin };
    const holding = url === undefined ? executor.execute(get) : undefined;
    if (holding !== undefined) await expect.poll(() => upstream.held.length).toBe(1);
    using _ = vi.spyOn(dns.promises, 'lookup').mockImplementation(toPrivateAddress);
    const { detail } = await executor.problem({ ...get, ...(url !== undefined && { url }) });
    upstream.open();
    await holding;
    const setting = SETTING_NAMES[name as keyof typeof SETTING_NAMES];
    expect(detail.match(/HTTP_EXECUTOR_\w+/g)).toEqual([setting]);
  },
);
