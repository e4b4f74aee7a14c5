import { shared } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { BOUNDARIES, type Boundary } from './support/boundary-cases.ts';
import { startExecutor } from './support/executor.ts';
import { damage, type Leaf, leavesOf, sliceOf } from './support/json-text.ts';
import { startSite } from './support/site.ts';
import { outcomeText } from './support/wire.ts';

// Contract section 3, "Redaction: echoes": lengths, neighbours, case, numbers, members.

const executor = shared(startExecutor);
const site = shared(startSite);

/** The ways in which a secret of any length is given whole. */
const GIVEN: Readonly<Record<string, (secret: string) => Record<string, string>>> = {
  'an API key': (secret) => ({ 'x-api-key': secret }),
  'a Bearer token': (secret) => ({ authorization: `Bearer ${secret}` }),
  'a password': (secret) => ({ authorization: `Basic ${btoa(`someone:${secret}`)}` }),
  'a session cookie': (secret) => ({ cookie: `tz=UTC; sid=${secret}` }),
};
const LANES = Object.entries(GIVEN);

const bodyText = async (body: string, headers: Record<string, string>) => {
  const answer = await outcomeText(executor(), { url: site().serve({ body }), headers });
  return {
    body: Buffer.from(sliceOf(answer, 'body'), 'latin1').toString(),
    redactions: JSON.parse(answer).redactions,
  };
};

/** Those that do not come out as the table says, one line each. */
async function wrong(
  rows: readonly Boundary[],
  shown: (row: Boundary) => Promise<unknown>,
): Promise<string[]> {
  const found: string[] = [];
  for (const row of rows) {
    const got = await shown(row);
    if (got !== row.says) found.push(`${row.name}: ${row.written} gave ${JSON.stringify(got)}`);
  }
  return found;
}

/** Texts that an HTTP header can carry. */
const IN_HEADERS = BOUNDARIES.filter(
  ({ written }) => /^[!-~](?:[ -~]*[!-~])?$/.test(written) && !written.includes('\\'),
);

describe('where a secret counts', () => {
  it('in more than 150 rows', () => {
    expect(BOUNDARIES.length).toBeGreaterThan(150);
  });

  it.each(LANES)('in a value, given as %s', async (_name, headersOf) => {
    const shown = async ({ secret, written }: Boundary) => {
      const { body } = await bodyText(
        `{"before":1.0,"a":["${written}"],"after":[]}`,
        headersOf(secret),
      );
      return JSON.parse(body).a[0];
    };
    expect(await wrong(BOUNDARIES, shown)).toEqual([]);
  });

  it.each(LANES)('in a key, given as %s', async (_name, headersOf) => {
    const shown = async ({ secret, written }: Boundary) => {
      const { body } = await bodyText(
        `{"a":{"before":1.0,"${written}":{"after":2.0}}}`,
        headersOf(secret),
      );
      return Object.keys(JSON.parse(body).a)[1];
    };
    expect(await wrong(BOUNDARIES, shown)).toEqual([]);
  });

  it.each(LANES)('in a response header, given as %s', async (_name, headersOf) => {
    const shown = async ({ secret, written }: Boundary) => {
      const url = site().serve({ headers: { 'x-echo': written } });
      return (await executor().success({ method: 'GET', url, headers: headersOf(secret) })).headers[
        'x-echo'
      ];
    };
    expect(await wrong(IN_HEADERS, shown)).toEqual([]);
  });

  it.each(LANES)('in an error page, given as %s', async (_name, headersOf) => {
    const shown = async ({ secret, written }: Boundary) => {
      const headers = { 'content-type': 'text/plain; charset=utf-8' };
      const url = site().serve({
        status: 502,
        headers,
        body: `No: ${JSON.parse(`"${written}"`)}!`,
      });
      const { body } = await executor().failure({
        method: 'POST',
        url,
        headers: headersOf(secret),
      });
      return String(body).slice('No: '.length, -1);
    };
    // A page of text has no NUL.
    const rows = BOUNDARIES.filter(({ written }) => !written.includes('\\u0000'));
    expect(await wrong(rows, shown)).toEqual([]);
  });

  it('leaves what it does not scrub byte by byte', async () => {
    const plain = BOUNDARIES.filter(({ written, says }) => JSON.parse(`"${written}"`) === says);
    for (const { name, secret, written } of plain) {
      const text = `{"${written}":["${written}",1.0]}`;
      const { body, redactions } = await bodyText(text, { 'x-api-key': secret });
      expect({ name, body, redactions }).toEqual({ name, body: text, redactions: undefined });
    }
  });
});

/** [secret, JSON before, JSON afterwards] */
const NUMBERS: [string, string, string][] = [
  ['123456', '[123456]', '["REDACTED"]'],
  [
    '123456',
    '{"count":123456,"s":"123456","t":"id 123456, ok"}',
    '{"count":"REDACTED","s":"REDACTED","t":"id REDACTED, ok"}',
  ],
  [
    '123456',
    '[1712345678,17123456,123456789,1234567,1234560]',
    '[1712345678,17123456,123456789,1234567,1234560]',
  ],
  [
    '123456',
    '[123456.5,0.123456,-123456,1.123456e3,123456e3,5e123]',
    '[123456.5,0.123456,-123456,1.123456e3,123456e3,5e123]',
  ],
  [
    '123456',
    '["1712345678","a123456","123456b","_123456"]',
    '["1712345678","a123456","123456b","_123456"]',
  ],
  ['123456', '{"123456":1,"1234567":2}', '{"REDACTED":1,"1234567":2}'],
  ['12345', '[12345,"12345"]', '[12345,"12345"]'],
  ['1234567890123456', '[1234567890123456,"1234567890123456"]', '["REDACTED","REDACTED"]'],
  [
    '1234567890123456',
    '[91234567890123456,12345678901234567,0.1234567890123456]',
    '[91234567890123456,12345678901234567,0.1234567890123456]',
  ],
  ['1234567890123456', '["91234567890123456"]', '["9REDACTED"]'],
  [
    '12345678901234567890',
    '[12345678901234567890,12345678901234567891,12345678901234567889]',
    '["REDACTED",12345678901234567891,12345678901234567889]',
  ],
  [
    '3.14159265',
    '[3.14159265,13.14159265,3.141592651,3.1415926]',
    '["REDACTED",13.14159265,3.141592651,3.1415926]',
  ],
  ['-987654', '[-987654,987654]', '["REDACTED",987654]'],
];

describe('a number changes only where it is the whole secret', () => {
  it.each(NUMBERS)('%s in %s', async (secret, before, after) => {
    for (const [name, headersOf] of LANES) {
      const { body } = await bodyText(before, headersOf(secret));
      expect(damage(after, body), name).toEqual([]);
    }
  });
});

const LONG = ['first-Zebra-0123456789', 'other-Zebra-9876543210'];
const both = { 'x-api-key': LONG[0] ?? '', 'x-auth-token': LONG[1] ?? '' };
const upper = (text = '') => text.toUpperCase();
const MANY = LONG.flatMap((secret) =>
  Array.from({ length: 10 }, (_, n) => `"${secret}${'!'.repeat(n)}":${n}.0`),
);

/** [name, headers, JSON, secrets that no key may show] */
const MEMBERS: [string, Record<string, string>, string, string[]][] = [
  ['two secrets', both, `{"${LONG[0]}":1,"${LONG[1]}":2.0}`, LONG],
  ['a secret in two cases', both, `{"${LONG[0]}":1,"${upper(LONG[0])}":2,"c":3}`, LONG],
  [
    'a secret in two spellings',
    { 'x-api-key': 'first/Zebra/0123456789' },
    '{"first/Zebra/0123456789":1,"first%2FZebra%2F0123456789":2}',
    ['first/Zebra'],
  ],
  [
    'a secret beside what stands for one',
    both,
    `{"REDACTED":0,"${LONG[0]}":1,"REDACTED_1":2,"REDACTED-2":3,"REDACTED (2)":4}`,
    LONG,
  ],
  ['a secret before what stands for one', both, `{"${LONG[0]}":1,"REDACTED":0}`, LONG],
  ['many of both', both, `{${MANY.join()}}`, LONG],
  ['deep ones', both, `[{"a":{"${LONG[0]}":{"${LONG[0]}":1,"${LONG[1]}":2}}}]`, LONG],
];

const valuesOf = (leaves: readonly Leaf[]) =>
  leaves.filter(([place]) => !place.startsWith('key ')).map(([, token]) => token);

describe('members never merge', () => {
  it.each(MEMBERS)('%s', async (_name, headers, text, secrets) => {
    const { body } = await bodyText(text, headers);
    const before = leavesOf(text);
    const after = leavesOf(body);
    expect(after).toHaveLength(before.length);
    expect(valuesOf(after)).toEqual(valuesOf(before));
    expect(leavesOf(JSON.stringify(JSON.parse(body))), 'with names of their own').toHaveLength(
      before.length,
    );
    for (const secret of secrets) expect(body.toLowerCase()).not.toContain(secret.toLowerCase());
  });

  it('a member that is there twice stays so', async () => {
    const { body } = await bodyText(`{"${LONG[0]}":1,"a":0,"${LONG[0]}":2}`, both);
    expect(valuesOf(leavesOf(body))).toEqual(['1', '0', '2']);
  });

  it('abcdef and ABCDEF', async () => {
    const { body, redactions } = await bodyText('{"ABCDEF":1,"abcdef":2,"Abcdef":3}', {
      'x-api-key': 'abcdef',
    });
    expect({ body, redactions }).toEqual({
      body: '{"ABCDEF":1,"REDACTED":2,"Abcdef":3}',
      redactions: 1,
    });
  });

  it('response headers named like secrets', async () => {
    const [one = '', two = ''] = LONG;
    const url = site().serve({
      headers: { [`x-${one}`]: '1', [`x-${two}`]: '2', 'x-redacted': '3' },
    });
    const { headers } = await executor().success({ method: 'GET', url, headers: both });
    const text = JSON.stringify(headers).toLowerCase();
    for (const secret of LONG) expect(text).not.toContain(secret.toLowerCase());
    expect(Object.values(headers).flat()).toEqual(expect.arrayContaining(['1', '2', '3']));
  });
});
