import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StoreUnavailable } from '@gatehouse/http-executor';
import { startProcess } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSqliteStore } from '../../src/store/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import { claims, key, LAWS, mustClaim, outcome } from '../support/store-laws.ts';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const newPath = () => join(folder, `${files++}.db`);
const open = (path: string, ttlMs = 86_400_000) => openSqliteStore(path, ttlMs, () => {});

describe('a store in an SQLite file', () => {
  let store: Store;
  beforeAll(async () => {
    store = await open(newPath());
  });
  afterAll(() => store.close());

  it.each(LAWS)('%s', async (_title, law) => law(store));

  it('keeps outcomes and uses across restarts, and has unfinished keys as unknown', async () => {
    const path = newPath();
    const [done, unfinished, free] = [key(), key(), key()];
    const first = await open(path);
    await (await mustClaim(first, { key: done })).settle(outcome(7));
    await mustClaim(first, { key: unfinished, token: { id: 't', until: Date.now() + 60_000 } });
    await (await mustClaim(first, { key: free })).release();
    await first.close();

    const second = await open(path);
    expect(await second.find(done)).toEqual({ state: 'done', outcome: outcome(7) });
    expect(await second.find(unfinished)).toEqual({ state: 'unknown' });
    expect(await second.find(free)).toBeUndefined();
    const token = { id: 't', until: Date.now() + 60_000 };
    expect(await second.claim(claims({ token }))).toMatchObject({
      reason: { state: 'token_used' },
    });
    await second.close();
  });

  it('can be opened once at a time, and only its owner may read it', async () => {
    const path = newPath();
    const first = await open(path);
    await expect(open(path)).rejects.toThrow(`another process uses \`${path}\``);
    for (const file of [path, `${path}-wal`]) expect(statSync(file).mode & 0o777).toBe(0o600);
    await first.close();
    await (await open(path)).close();
  });

  it('says why a file cannot be used', async () => {
    await expect(open(folder)).rejects.toThrow(/EISDIR/);
    await expect(open(import.meta.filename.replace('sqlite.io', 'none/x'))).rejects.toThrow(
      'ENOENT',
    );
  });

  it('forgets a key after its time, but never while its execution is in progress', async () => {
    const short = await open(newPath(), 1);
    const [settled, running] = [key(), key()];
    await (await mustClaim(short, { key: settled })).settle(outcome());
    const claim = await mustClaim(short, { key: running });
    await expect.poll(() => short.find(settled)).toBeUndefined();
    expect(await short.find(running)).toEqual({ state: 'in_progress' });
    await mustClaim(short, { key: settled });
    await claim.settle(outcome());
    await expect.poll(() => short.find(running)).toBeUndefined();
    await short.close();
  });

  it('stays unavailable while the disk is full', async () => {
    // A file that cannot grow beyond 100 KiB stands for a full disk.
    const full = 'ulimit -f 100; exec env --ignore-signal=XFSZ "$0" "$@"';
    const script = fileURLToPath(new URL('../support/full-store.ts', import.meta.url));
    await using store = startProcess('bash', {
      args: ['-c', full, process.execPath, script, newPath()],
    });
    await store.printed(/(?:disk.*\n){20}/);
  });

  it('is unavailable once it is closed', async () => {
    const closed = await open(newPath());
    const claim = await mustClaim(closed, { key: key() });
    await closed.close();
    expect(claim.isHeld()).toBe(false);
    await expect(closed.find(key())).rejects.toThrow(StoreUnavailable);
    await expect(claim.settle(outcome())).rejects.toThrow(StoreUnavailable);
  });
});
