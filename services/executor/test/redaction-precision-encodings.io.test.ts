import { shared } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { ENCODING_NAMES, encode } from './support/encodings.ts';
import { startExecutor } from './support/executor.ts';
import { leavesOf, sliceOf } from './support/json-text.ts';
import { leaksOf } from './support/leaks.ts';
import { startSite } from './support/site.ts';
import { outcomeText } from './support/wire.ts';

// Contract section 3, "Redaction: echoes": in any usual encoding, wherever it is echoed.

const executor = shared(startExecutor);
const site = shared(startSite);

const basic = (text: string, coding: BufferEncoding = 'utf8') => ({
  authorization: `Basic ${Buffer.from(text, coding).toString('base64')}`,
});

/** A secret of each kind, and how it is sent. */
const SECRETS: [name: string, secret: string, headers: Record<string, string>][] = [
  ['a long token', 's3cr3t/T0ken+Value==', { authorization: 'Bearer s3cr3t/T0ken+Value==' }],
  [
    'a long password of many marks',
    `p@s"s/w&r\\d<1>'q~+=%2`,
    basic(`octocat:p@s"s/w&r\\d<1>'q~+=%2`),
  ],
  [
    'a long key of letters',
    'abcdefghijklmnopqrstuvwx',
    { 'x-api-key': 'abcdefghijklmnopqrstuvwx' },
  ],
  ['a long passphrase', 'correct horse+battery 9', basic('octocat:correct horse+battery 9')],
  ['a short passphrase', 'my pass+1', basic('octocat:my pass+1')],
  ['15 characters', 'k3y+with/marks&', { 'x-api-key': 'k3y+with/marks&' }],
  ['a short password', 'p@s/w&1', basic('octocat:p@s/w&1')],
  ['a short key of letters', 'Hunter', { 'x-api-key': 'Hunter' }],
];

interface Place {
  readonly name: string;
  /** How an upstream shows a text. */
  readonly show: (text: string) => object;
  /** What stands around the echo. */
  readonly around?: readonly [before: string, behind: string];
  /** The whole text again, out of the outcome. */
  readonly read: (answer: string) => unknown;
  /** It shows the beginning of a text alone, in which one echo has room. */
  readonly short?: boolean;
}

const body = (answer: string) =>
  JSON.parse(Buffer.from(sliceOf(answer, 'body'), 'latin1').toString());

const PLACES: readonly Place[] = [
  {
    name: 'a value',
    show: (text) => ({ body: { n: 1.5, list: [{ text }] } }),
    read: (answer) => body(answer).list[0].text,
  },
  {
    name: 'a path, where base64 has neighbours of its alphabet',
    around: ['https://api.test/v1/', '/x?n=1'],
    show: (text) => ({ body: { text } }),
    read: (answer) => body(answer).text,
  },
  {
    name: 'a key',
    show: (text) => ({ body: { [text]: { n: 1 } } }),
    read: (answer) => Object.keys(body(answer))[0],
  },
  { name: 'a bare string', show: (text) => ({ body: JSON.stringify(text) }), read: body },
  { name: 'an error page', show: (text) => ({ status: 403, body: text }), read: body },
  {
    name: 'the JSON of an error',
    show: (text) => ({ status: 401, body: { text } }),
    read: (answer) => body(answer).text,
  },
  { name: 'a success that is not JSON', show: (text) => ({ body: text }), read: body, short: true },
  {
    name: 'a header',
    show: (text) => ({ headers: { 'x-echo': text } }),
    read: (answer) => JSON.parse(answer).headers['x-echo'],
  },
];

/** Base64 of a longer text loses more than the secret alone. */
const isWithin = (encoding: string) => encoding.includes('around');

const BETWEEN = ' ~~ ';

/** What is wrong with echoes in these encodings, which a place shows side by side. */
async function straysIn(
  place: Place,
  encodings: readonly string[],
  [, secret, headers]: (typeof SECRETS)[number],
): Promise<string[]> {
  const [before, behind] = place.around ?? ['before <', '> behind'];
  const echoes = encodings.map((encoding) => `${before}${encode(encoding, secret)}${behind}`);
  const url = site().serve(place.show(echoes.join(BETWEEN)));
  const answer = await outcomeText(executor(), { url, method: 'POST', headers });
  const leaks = leaksOf(
    [secret],
    [answer, ...leavesOf(answer).map(([, token]) => String(JSON.parse(token)))].join('\n'),
  );
  const shown = String(place.read(answer)).split(BETWEEN);
  const strays = encodings.flatMap((encoding, index) => {
    const read = shown[index] ?? '';
    const left = read.slice(before.length, -behind.length);
    const scrubbed = isWithin(encoding) ? /^[\w+/=-]*REDACTED[\w+/=-]*$/ : /^REDACTED$/;
    const isRight = read === `${before}${left}${behind}` && scrubbed.test(left);
    return isRight ? [] : [`${encoding} gave ${read}`];
  });
  const { redactions } = JSON.parse(answer);
  const counted = redactions === encodings.length ? [] : [`counted ${redactions}`];
  return [...leaks.map((leak) => `shows ${leak}`), ...strays, ...counted];
}

describe.each(SECRETS)('%s', (name, secret, headers) => {
  it('in every encoding, in every place', async () => {
    const found: string[] = [];
    for (const place of PLACES)
      for (const encodings of place.short ? ENCODING_NAMES.map((each) => [each]) : [ENCODING_NAMES])
        for (const stray of await straysIn(place, encodings, [name, secret, headers]))
          found.push(`in ${place.name}: ${stray}`);
    expect(found).toEqual([]);
  });

  it('in every encoding at once, and nothing else is lost', async () => {
    const rows = ENCODING_NAMES.map((encoding) => ({
      encoding,
      echo: `<${encode(encoding, secret)}>`,
      n: 1,
      ok: true,
    }));
    const answer = await outcomeText(executor(), {
      url: site().serve({ body: { rows } }),
      headers,
    });
    const after = body(answer).rows as typeof rows;
    expect(after.map(({ encoding, n, ok }) => ({ encoding, n, ok }))).toEqual(
      rows.map(({ encoding, n, ok }) => ({ encoding, n, ok })),
    );
    expect(after.filter(({ echo }) => !/^<.*REDACTED.*>$/.test(echo))).toEqual([]);
    expect(JSON.parse(answer).redactions).toBe(rows.length);
  });
});

const PASSWORD = 'pässwörd€42';
const LATIN = 'pässwörd-42';
const octets = (text: string, coding: BufferEncoding = 'utf8') => Buffer.from(text, coding);
const percent = (bytes: Buffer) =>
  [...bytes]
    .map((byte) =>
      byte < 0x80 ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase()}`,
    )
    .join('');
const escapes = (text: string) =>
  text.replace(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
const html = (text: string) =>
  text.replace(/[^ -~]/g, (character) => `&#${character.charCodeAt(0)};`);

/** [name, how the password is sent, how it comes back] */
const OTHER_SCRIPTS: [string, Record<string, string>, string][] = [
  ['as it is', basic(`me:${PASSWORD}`), PASSWORD],
  ['in percent', basic(`me:${PASSWORD}`), encodeURIComponent(PASSWORD)],
  [
    'in percent, as a form',
    basic(`me:${PASSWORD}`),
    new URLSearchParams({ v: PASSWORD }).toString().slice(2),
  ],
  ['in escapes of JSON', basic(`me:${PASSWORD}`), escapes(PASSWORD)],
  ['in numbers of HTML', basic(`me:${PASSWORD}`), html(PASSWORD)],
  ['in names of HTML', basic(`me:${PASSWORD}`), 'p&auml;ssw&ouml;rd&euro;42'],
  ['in base64', basic(`me:${PASSWORD}`), octets(PASSWORD).toString('base64')],
  ['in base64url', basic(`me:${PASSWORD}`), octets(PASSWORD).toString('base64url')],
  ['in latin-1, as it is', basic(`me:${LATIN}`, 'latin1'), LATIN],
  ['in latin-1, in percent of UTF-8', basic(`me:${LATIN}`, 'latin1'), encodeURIComponent(LATIN)],
  [
    'in latin-1, in percent of latin-1',
    basic(`me:${LATIN}`, 'latin1'),
    percent(octets(LATIN, 'latin1')),
  ],
  [
    'in latin-1, in base64 as sent',
    basic(`me:${LATIN}`, 'latin1'),
    octets(`me:${LATIN}`, 'latin1').toString('base64'),
  ],
  [
    'in latin-1, in base64 of UTF-8',
    basic(`me:${LATIN}`, 'latin1'),
    octets(LATIN).toString('base64'),
  ],
];

describe('a password in another script', () => {
  it.each(OTHER_SCRIPTS)('%s', async (_name, headers, echo) => {
    const text = `before <${echo}> behind`;
    const json = await executor().success({
      method: 'GET',
      url: site().serve({ body: { text, n: 1 } }),
      headers,
    });
    expect(json).toMatchObject({ body: { text: 'before <REDACTED> behind', n: 1 }, redactions: 1 });
    const type = { 'content-type': 'text/html; charset=utf-8' };
    const page = {
      method: 'GET',
      url: site().serve({ status: 403, headers: type, body: text }),
      headers,
    };
    expect(await executor().failure(page)).toMatchObject({
      body: 'before <REDACTED> behind',
      redactions: 1,
    });
  });

  it.each([
    ['UTF-8', PASSWORD, 'utf8', 'utf8'],
    ['UTF-8, sent in latin-1', LATIN, 'latin1', 'utf8'],
    ['latin-1', LATIN, 'utf8', 'latin1'],
    ['latin-1, sent in latin-1', LATIN, 'latin1', 'latin1'],
  ] as const)('in a response header of %s', async (_name, password, sentIn, echoedIn) => {
    const echo = octets(password, echoedIn).toString('latin1');
    const url = site().serve({ headers: { 'x-echo': `before <${echo}> behind` } });
    const { headers, redactions } = await executor().success({
      method: 'GET',
      url,
      headers: basic(`me:${password}`, sentIn),
    });
    expect({ echo: headers['x-echo'], redactions }).toEqual({
      echo: 'before <REDACTED> behind',
      redactions: 1,
    });
  });
});
