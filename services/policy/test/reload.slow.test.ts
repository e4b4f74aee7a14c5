import { findProgram } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { reloadUnderLoad } from '../../../bench/reload/reload-under-load.ts';

const hasWrk = findProgram('wrk') !== undefined;
if (!hasWrk) console.warn('LEFT OUT: wrk is not installed; `apt-get install wrk`.');

const SECONDS = 5;

describe.skipIf(!hasWrk)('a profile that changes every second under load', () => {
  it('fails no request, and each decision is of one profile and carries its digest', async () => {
    const { broken } = await reloadUnderLoad(SECONDS);
    expect(broken).toEqual([]);
  });
});
