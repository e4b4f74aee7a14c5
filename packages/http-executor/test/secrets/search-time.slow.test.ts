import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Body } from '../../src/decode.ts';
import { conceal } from '../../src/redact.ts';
import { type Secrets, secretsOfHeaders } from '../../src/secrets/secrets.ts';
import { answerWith, textBody } from '../support/answers.ts';

const BYTES = 10 * 1024 * 1024;
/** Maximum of docs/contract.md, "Bounds", which is several times what the searches take. */
const MAX_STRETCH_MS = 250;

const keys = (...values: string[]): Secrets =>
  secretsOfHeaders(new Map(values.map((value, index) => [`x-${index}`, value])), () => true);

const textOf = (piece: string): Body => textBody(Buffer.alloc(BYTES, piece));

/** Returns a JSON string of about 10 MiB. */
function stringOf(piece: string): Body {
  const content = piece.repeat(Math.floor(BYTES / piece.length));
  return { kind: 'json', document: Buffer.from(`"${content}"`) };
}

const listOf = (item: string, last: string): Body => ({
  kind: 'json',
  document: Buffer.from(`[${`${item},`.repeat(Math.floor(BYTES / (item.length + 1)))}${last}]`),
});

/** Returns the longest time for which other work had to wait. */
async function longestStretch(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  const measure = () => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  };
  let done = false;
  const others = (async () => {
    for (; !done; await setImmediate()) measure();
  })();
  await work();
  measure();
  done = true;
  await others;
  return longest;
}

const ZEROS = '0'.repeat(8 * 1024 - 1);

describe('no answer of 10 MiB keeps other work waiting', () => {
  it.each<[name: string, body: Body, secrets: Secrets]>([
    ['zeros, and a secret of zeros', textOf('0'), keys(`${ZEROS}1`)],
    ['zeros and a one, and a secret of zeros', textOf(`${ZEROS}12`), keys(`0${ZEROS}1`)],
    ['beginnings of a secret', textOf('0123456789abcdefX'), keys('0123456789abcdefghi')],
    ['a secret that overlaps itself', stringOf('A'), keys('AAAAAAAA')],
    ['escapes of JSON', stringOf('\\u0041'), keys('AAAAAAAB')],
    ['escapes of JSON beyond ASCII', stringOf('\\ud83d\\ude00'), keys('AAAAAAAB')],
    ['escapes of percent', textOf('%41'), keys('AAAAAAAB')],
    ['backslashes', textOf('\\'), keys('\\\\\\\\\\\\\\a')],
    ['numbers before an echo', listOf('1', '"AAAAAAAB"'), keys('AAAAAAAB')],
    ['numbers between echoes', listOf(`"AAAAAAAB",${'1,'.repeat(1e5)}1`, '0'), keys('AAAAAAAB')],
    ['strings before an echo', listOf('"A"', '"AAAAAAAB"'), keys('AAAAAAAB')],
    ['many echoes', listOf(`"AAAAAAAB ${'%41'.repeat(400)}"`, '1'), keys('AAAAAAAB')],
    [
      'zeros, and 16 secrets',
      textOf('0'),
      keys(...Array.from({ length: 16 }, (_, index) => `${'0'.repeat(2_000)}${index}1`)),
    ],
  ])('%s', async (_name, body, secrets) => {
    const stretch = await longestStretch(() => conceal(answerWith(body), secrets));
    expect(stretch).toBeLessThan(MAX_STRETCH_MS);
  });
});
