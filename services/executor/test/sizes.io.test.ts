import { startUpstream } from '@gatehouse/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ServiceProcess, startProcess } from './support/process.ts';

const KIB = 1024;
const LIMIT = 1024 * KIB;
const TOKEN = 'ghp_a1B2c3D4e5F6g7H8i9';

/** Sizes at which the processing of a body changes, with their neighbours. */
const SIZES = [1, 16 * KIB, 64 * KIB, 256 * KIB, LIMIT].flatMap((at) => [at - 1, at, at + 1]);
const TYPES = ['json', 'text', 'base64', 'auto'] as const;
const BOOLEANS = [false, true];

/** JSON of this size in bytes, with inexact numbers and repeated echoes of a token. */
function documentOf(bytes: number): string {
  if (bytes <= 2) return '1'.repeat(bytes);
  const start = `{"n":1.50,"token":"${TOKEN}","pad":"`;
  const room = bytes - start.length - '"}'.length;
  const letters = Math.floor(room / 3);
  return `${start}${'é'.repeat(letters)}${' '.repeat(room - 2 * letters)}"}`;
}

let service: ServiceProcess;
beforeAll(async () => {
  service = await startProcess({ HTTP_EXECUTOR_MAX_RESPONSE_BYTES: String(LIMIT) });
});
afterAll(() => service[Symbol.asyncDispose]());

/** Expected JSON of an outcome's `body`. */
function expectedBody(document: string, type: (typeof TYPES)[number]): string {
  if (document === '') return 'null';
  if (type === 'json' || type === 'auto') return document;
  return JSON.stringify(type === 'text' ? document : Buffer.from(document).toString('base64'));
}

it.each(SIZES)('a body of %i bytes arrives as it was sent', { timeout: 60_000 }, async (size) => {
  const document = documentOf(size);
  expect(Buffer.byteLength(document)).toBe(size);
  await using upstream = await startUpstream({
    body: document,
    headers: { 'content-type': 'application/json' },
  });
  for (const type of TYPES)
    for (const credential of BOOLEANS)
      for (const schema of BOOLEANS) {
        const action = {
          ...{ method: 'GET', url: upstream.origin, response_type: type },
          ...(credential && { headers: { authorization: `Bearer ${TOKEN}` } }),
          ...(schema && { response_schema: { title: 'Anything' } }),
        };
        const answer = await fetch(`${service.url}/execute`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(action),
        });
        const text = await answer.text();
        const cell = [size, type, { credential, schema }, answer.status];
        if (size > LIMIT) {
          expect([...cell, JSON.parse(text).error]).toEqual([...cell, 'ResponseTooLarge']);
          continue;
        }
        const scrubbed = credential ? document.replace(TOKEN, 'REDACTED') : document;
        const body = expectedBody(scrubbed, type);
        const start = text.indexOf('"body":') + '"body":'.length;
        const isSame = text.slice(start, start + body.length) === body;
        expect([...cell, isSame, /,"attempts":1/.test(text.slice(start + body.length))]).toEqual([
          ...[size, type, { credential, schema }, 200],
          ...[true, true],
        ]);
      }
});
