import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exceededBounds, listOf, membersOf, nested, post, startService } from '@gatehouse/testing';
import { afterAll, describe, expect, it } from 'vitest';

const KIB = 1_024;
/** Just below the size limit of a body. */
const SIZE = KIB * KIB - 256;

const range = <T>(length: number, each: (n: number) => T): T[] =>
  Array.from({ length }, (_, n) => each(n));
const spend = (amount: string) => `{"spend":{"amount_minor_units":${amount},"currency":"EUR"}}`;

interface Attack {
  readonly body: string;
  readonly status: number;
  readonly path?: string;
  readonly times?: number;
}

const deepLists = (count: number) => `[${range(count, () => nested(250, '[', ']')).join()}]`;
/** Check of an action with these members. */
const act = (members: string) => `{"action":{"method":"POST","url":"http://a.test/a",${members}}}`;

const LONG_PATH = { method: 'GET', url: `http://a.test${'/a'.repeat(4_000)}` };

const ATTACKS: Record<string, Attack> = {
  'lists 500,000 levels deep': { body: nested(SIZE / 2, '[', ']', ''), status: 400 },
  'a section 5,000 levels deep': {
    body: `{"connector":{"scope":${nested(5_000, '[', ']')}}}`,
    status: 400,
  },
  '5,000 unknown members, 100 at once': { body: membersOf(5_000), status: 400, times: 100 },
  'a repeated member with a name of 512 KB': {
    body: `{${range(2, () => `"${'n'.repeat(SIZE / 2 - 16)}":1`).join()}}`,
    status: 400,
  },
  '260,000 unknown categories': {
    body: `{"pii":{"categories":${listOf('"x"', SIZE - 64)}}}`,
    status: 400,
  },
  '500,000 categories that are numbers, 20 at once': {
    body: `{"pii":{"categories":${listOf('1', SIZE - 64)}}}`,
    status: 400,
    times: 20,
  },
  '1,000 numbers that are not exact, in a list with a name of 900 KB': {
    body: `{"${'~'.repeat(900 * KIB)}":${listOf('9007199254740993', 20 * KIB)}}`,
    status: 400,
  },
  '100,000 members without a name, below a name of 512 KB': {
    body: `{"${'n'.repeat(SIZE / 2)}":{${'"":1,'.repeat(100_000)}"":1}}`,
    status: 400,
  },
  'a scope of 1 MB': {
    body: `{"connector":{"scope":"mcp://${'root/'.repeat(200_000)}"}}`,
    status: 200,
  },
  'an amount of a million digits': { body: spend('9'.repeat(SIZE - 128)), status: 400 },
  'an exponent of a million digits': { body: spend(`1e${'0'.repeat(SIZE - 128)}1`), status: 200 },
  'an action with a body of 1,900 lists that are 250 levels deep': {
    body: act(`"body":${deepLists(1_900)}`),
    status: 400,
  },
  'an action with a form of 500,000 numbers': {
    body: act(
      `"headers":{"content-type":"application/x-www-form-urlencoded"},"body":{"n":${listOf('1', SIZE - KIB)}}`,
    ),
    status: 400,
  },
  'an action with 50,000 empty lists in its query': {
    body: act(`"query":{${range(50_000, (n) => `"n${n}":[]`).join()}}`),
    status: 400,
  },
  'a body of 16 MiB': { body: '['.repeat(16 * KIB * KIB), status: 413 },
  'a batch of 100 checks, each with 70 unknown members': {
    body: `{"checks":[${range(100, () => membersOf(70)).join()}]}`,
    path: '/policy/check/batch',
    status: 200,
  },
  'a batch of 100 actions, each with a path of 4,000 segments': {
    body: JSON.stringify({ checks: range(100, () => ({ action: LONG_PATH })) }),
    path: '/policy/check/batch',
    status: 200,
  },
  'a batch of 10 actions, each with a body of 190 lists that are 250 levels deep': {
    body: `{"checks":[${range(10, () => act(`"body":${deepLists(190)}`)).join()}]}`,
    path: '/policy/check/batch',
    status: 200,
  },
};

/** 400 patterns, of which none matches. */
const PROFILE = JSON.stringify({
  name: 'many-paths',
  actions: {
    missing: 'deny',
    unlisted: 'deny',
    rules: range(20, (rule) => ({
      ...{ host: 'a.test', outcome: 'allow' },
      paths: range(20, (n) => `/a/*/a/*/${rule}/${n}`),
    })),
  },
});

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'));
const profileFile = join(folder, 'profile.json');
writeFileSync(profileFile, PROFILE);
afterAll(() => rmSync(folder, { recursive: true }));

// docs/contract.md, "Bounds".
describe('a policy service under attack answers correctly and stays within its bounds', () => {
  it.each(Object.entries(ATTACKS))('%s', async (_name, attack) => {
    const { body, status, path = '/policy/check', times = 1 } = attack;
    await using policy = await startService('policy', {
      NODE_OPTIONS: '--max-old-space-size=256',
      POLICY_PROFILE_FILE: profileFile,
    });
    const url = `${policy.url}${path}`;
    for (let n = 0; n < 20; n++) await post(url, spend('1'));
    let statuses: number[] = [];
    const broken = await exceededBounds(
      policy,
      async () => {
        const answers = await Promise.all(range(times, () => post(url, body)));
        statuses = answers.map((answer) => answer.status);
        return answers;
      },
      { requests: times, inFlight: times * body.length, responseBytes: 200 * KIB },
    );
    expect([new Set(statuses), broken]).toEqual([new Set([status]), []]);
  });
});
