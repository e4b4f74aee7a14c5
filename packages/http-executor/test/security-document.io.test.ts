import { readFileSync } from 'node:fs';
import { inspectAction as inspect } from '@gatehouse/contracts/action';
import { shared, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { headerRules } from '../src/index.ts';
import { compileSchema } from '../src/json-schema/compile.ts';
import { startExecutor } from './support/executor.ts';
import { textWith } from './support/outcomes.ts';
import { resolver } from './support/resolver.ts';

const inspectAction = (value: unknown) => inspect(value, 1024 * 1024);

const PAGE = readFileSync(new URL('../../../docs/executor-security.md', import.meta.url), 'utf8');

/** Returns the text of a section. */
function section(heading: string): string {
  const found = PAGE.split(/^## /m).find((each) => each.startsWith(`${heading}\n`));
  if (found === undefined) throw new Error(`the page has no section ${heading}`);
  return found;
}

/** Returns the cells of a section's table, without its header. */
const rows = (heading: string) =>
  [...section(heading).matchAll(/^\| (.+) \|$/gm)].slice(1).map(([, row = '']) => row.split(' | '));

const codes = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

/**
 * Returns the lists in a section: for each line that consists only of terms in backticks, these
 * terms.
 */
const listsIn = (heading: string) =>
  (section(heading).match(/^`[^`]+`(?: `[^`]+`)+$/gm) ?? []).map(codes);
const list = (heading: string) => listsIn(heading)[0] ?? [];

const NETWORKS = rows('Addresses')
  .filter(([kind]) => kind !== 'public')
  .flatMap(([, networks = '', reachable = '']) =>
    codes(networks.split(', and')[0] ?? '').map((network) => [reachable, network] as const),
  );
/** What a refusal says, by the last column of the table. */
const ADVICE: Readonly<Record<string, string>> = {
  'if the operator allows its network': 'is not public; to allow this, an operator must add',
  never: 'to allow this, an operator must list the IP address itself',
};
const nameOf = (network: string) => `${network.replaceAll(/[^\da-f]/g, '-')}x.test`;

/**
 * Names that a row of credentials masks, and similar names that the row does not mask. Each comes
 * with the value that must be shown.
 */
function maskedAndNear(rule: string, word: string): [string, string][] {
  const kinds: Readonly<Record<string, { masked: string[]; near: string[] }>> = {
    contains: { masked: [`x${word}x`, word.replaceAll('-', '_').toUpperCase()], near: [] },
    'has the word': { masked: [word, `a-${word}-b`], near: [`a${word}b`] },
    'has as its last word': { masked: [word, `a-${word}`], near: [`${word}-b`] },
    'begins with the words': { masked: [word, `${word}-b`], near: [`${word}b`] },
    is: { masked: [word], near: [`b-${word}`] },
  };
  const { masked = [], near = [] } = kinds[rule] ?? {};
  return [
    ...masked.map((name): [string, string] => [name, 'REDACTED']),
    ...near.map((name): [string, string] => [name, 'its own']),
  ];
}

/** Names that a row of exceptions leaves unmasked, each with the value that must be shown. */
function shownBy(rule: string, word: string): [string, string][] {
  const names = {
    'begins with the words': [`${word}-token`],
    contains: [`token-${word}-b`],
    'ends with the words': [`token-${word}`],
    'ends with these words, which suggest a number of tokens': [word, `a-${word}`],
    'ends with these words, with or without their `-`': [word, `a-${word.replace('-', '')}`],
  }[rule];
  return (names ?? []).map((name) => [name, 'its own']);
}

/** Checks a body with a schema that the executor accepts. */
function isValid(schema: object, body: unknown): boolean {
  const compiled = compileSchema(JSON.stringify(schema));
  if (!compiled.ok) return expect.fail(compiled.reason.message);
  return compiled.value(body) === true;
}

const executor = shared(() => {
  const names = NETWORKS.map(([, network]) => [nameOf(network), [[network.replace(/\/\d+$/, '')]]]);
  const { resolve } = resolver({ ...Object.fromEntries(names), localhost: [['127.0.0.1']] });
  return startExecutor({ hosts: ['127.0.0.1', 'localhost', '*.test'], resolve });
});

describe('the security page agrees with the code', () => {
  it('on its sections', () => {
    expect(NETWORKS.length).toBeGreaterThan(40);
    expect(rows('Request headers')).toHaveLength(7);
    expect(list('Response schemas')).toHaveLength(5);
    expect(list('Redirects')).toHaveLength(7);
    expect(list('Redaction')).toHaveLength(22);
  });

  it('on all networks', async () => {
    for (const [reachable, network] of NETWORKS) {
      const url = `http://${nameOf(network)}/`;
      const { code, message } = await executor().refusal({ method: 'GET', url });
      const refused = { code: 'AddressNotAllowed', message: textWith(String(ADVICE[reachable])) };
      expect({ code, message }, network).toEqual(refused);
    }
  });

  it('on all blocked ports', () => {
    const blocked = Array.from({ length: 65_536 }, (_, port) => port).filter(
      (port) => inspectAction({ url: `http://localhost:${port}/` }).length > 0,
    );
    expect(/```\n([\d\s]+)```/.exec(section('URLs'))?.[1]?.trim().split(/\s+/).map(Number)).toEqual(
      blocked,
    );
  });

  it.each(rows('Request headers').flatMap(([, names = '']) => codes(names)))(
    'of the header %s',
    (name) => {
      const headers = { [name.replace('*', 'any')]: 'a' };
      expect(inspectAction({ headers })).toEqual([
        expect.objectContaining({ message: textWith('must not be set') }),
      ]);
    },
  );

  it.each(list('Response schemas'))('on the draft %s', ($schema) => {
    for (const name of [$schema, `${$schema}#`, $schema.replace('https', 'http')])
      expect(isValid({ $schema: name, type: 'array' }, [])).toBe(true);
  });

  it('on formats', () => {
    const formats = listsIn('Response schemas')[1] ?? [];
    expect(formats.length).toBeGreaterThan(15);
    for (const format of [...formats, 'iri', 'unknown'])
      expect([format, isValid({ items: { format } }, ['%\\\\ {(', 0.5])]).toEqual([
        format,
        !formats.includes(format),
      ]);
  });

  it('on all headers that are sent to another origin', async () => {
    await using target = await startUpstream();
    const location = target.origin.replace('127.0.0.1', 'localhost');
    await using source = await startUpstream({ status: 302, headers: { location } });
    const taken = list('Redirects');
    const others = 'authorization cookie if-match origin referer x-api-key x-note';
    const headers = Object.fromEntries(
      [...taken, ...others.split(' ')].map((name) => [name, 'sent']),
    );
    await executor().success({ method: 'GET', url: source.origin, headers });
    const received = Object.entries(target.requests[0]?.headers ?? {}).filter(
      ([, value]) => value === 'sent',
    );
    expect(received.map(([name]) => name).sort()).toEqual(taken.toSorted());
  });

  it('on credential names', async () => {
    const redaction = rows('Redaction').map(([rule = '', words = '']) => ({
      rule,
      words: codes(words),
    }));
    const [masked, shown] = [redaction.slice(0, 5), redaction.slice(6, 11)];
    expect(masked.map(({ words }) => words.length)).toEqual([26, 9, 5, 1, 3]);
    expect(shown.map(({ words }) => words.length)).toEqual([1, 2, 38, 13, 16]);

    const expected = Object.fromEntries([
      ...masked.flatMap(({ rule, words }) => words.flatMap((word) => maskedAndNear(rule, word))),
      ...shown.flatMap(({ rule, words }) => words.flatMap((word) => shownBy(rule, word))),
      ...['api-key-id', 'x-api_key-ID'].map((name) => [name, 'its own']),
      ...['x-session-id', 'x-secret-id'].map((name) => [name, 'REDACTED']),
    ]);
    const sent = Object.fromEntries(Object.keys(expected).map((name) => [name, 'its own']));
    await using upstream = await startUpstream({ headers: sent });
    const { headers } = await executor().success({ method: 'GET', url: upstream.origin });
    expect(headers).toMatchObject(
      Object.fromEntries(
        Object.entries(expected).map(([name, value]) => [name.toLowerCase(), value]),
      ),
    );
  });

  it('on the strict mode', () => {
    const { isShown } = headerRules({ headerMode: 'strict' });
    const shown = [...list('Redaction'), 'ratelimit-limit', 'x-ratelimit-remaining'];
    const hidden = 'server via x-powered-by www-authenticate set-cookie x-location connection';
    expect([...shown, ...hidden.split(' ')].filter(isShown)).toEqual(shown);
  });
});
