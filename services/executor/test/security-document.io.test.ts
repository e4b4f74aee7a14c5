import { readFileSync } from 'node:fs';
import { inspectAction, redactionRules } from '@gatehouse/http-executor';
import { shared, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { startExecutor } from './support/executor.ts';
import { textWith } from './support/outcomes.ts';
import { resolver } from './support/resolver.ts';

const PAGE = readFileSync(new URL('../../../docs/executor-security.md', import.meta.url), 'utf8');

/** What is under a heading. */
function section(heading: string): string {
  const found = PAGE.split(/^## /m).find((each) => each.startsWith(`${heading}\n`));
  if (found === undefined) throw new Error(`the page has no section ${heading}`);
  return found;
}

/** The cells of the rows of a section's table, without its head. */
const rows = (heading: string) =>
  [...section(heading).matchAll(/^\| (.+) \|$/gm)].slice(1).map(([, row = '']) => row.split(' | '));

const codes = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

/** A line that is nothing but a list. */
const list = (heading: string) =>
  codes(/^`[^`]+`(?: `[^`]+`)+$/m.exec(section(heading))?.[0] ?? '');

const NETWORKS = rows('Addresses')
  .filter(([kind]) => kind !== 'public')
  .flatMap(([kind = '', networks = '']) =>
    codes(networks.split(', and')[0] ?? '').map((network): [string, string] => [kind, network]),
  );
const nameOf = (network: string) => `${network.replaceAll(/[^\da-f]/g, '-')}x.test`;

const executor = shared(() => {
  const names = NETWORKS.map(([, network]) => [nameOf(network), [[network.replace(/\/\d+$/, '')]]]);
  return startExecutor({
    env: { HTTP_EXECUTOR_ALLOWED_HOSTS: '127.0.0.1,localhost,*.test' },
    connect: {
      resolve: resolver({ ...Object.fromEntries(names), localhost: [['127.0.0.1']] }).resolve,
    },
  });
});

describe('the page on security says what is so', () => {
  it('of its sections', () => {
    expect(NETWORKS.length).toBeGreaterThan(40);
    expect(rows('Request headers')).toHaveLength(7);
    expect(list('Response schemas')).toHaveLength(8);
    expect(list('Redirects')).toHaveLength(7);
    expect(list('Redaction')).toHaveLength(22);
  });

  it.each(NETWORKS)('%s: %s', async (kind, network) => {
    const { code, detail } = await executor().problem({
      method: 'GET',
      url: `http://${nameOf(network)}/`,
    });
    expect({ code, detail }).toEqual({ code: 'AddressNotAllowed', detail: textWith(` ${kind}`) });
  });

  it('of blocked ports, all of them', () => {
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
        expect.objectContaining({ message: textWith('may not be set') }),
      ]);
    },
  );

  it.each(list('Response schemas'))('of the keyword %s', async (keyword) => {
    const action = { method: 'GET', url: 'http://127.0.0.1/', response_schema: { [keyword]: 'a' } };
    const problem = await executor().problem(action);
    expect(problem).toMatchObject({
      code: 'InvalidResponseSchema',
      detail: textWith(`\`${keyword}\``),
    });
  });

  it('of headers that go along to another origin, all of them', async () => {
    await using target = await startUpstream();
    const location = target.origin.replace('127.0.0.1', 'localhost');
    await using source = await startUpstream({ status: 302, headers: { location } });
    const taken = list('Redirects');
    const others = [
      'authorization',
      'cookie',
      'if-match',
      'origin',
      'referer',
      'x-api-key',
      'x-note',
    ];
    const headers = Object.fromEntries([...taken, ...others].map((name) => [name, 'sent']));
    await executor().success({ method: 'GET', url: source.origin, headers });
    const received = Object.entries(target.requests[0]?.headers ?? {}).filter(
      ([, value]) => value === 'sent',
    );
    expect(received.map(([name]) => name).sort()).toEqual(taken.toSorted());
  });

  const [patterns = ''] = section('Redaction').split('\n\n').slice(1);
  const parts = codes(patterns).filter(
    (each) => !/^(?:REDACTED|_|-|ratelimit|HTTP_.*)$/.test(each),
  );

  it.each(parts)('of credentials: %s', async (part) => {
    const name = part.startsWith('-') ? `x${part}` : part.endsWith('-') ? `${part}x` : part;
    await using upstream = await startUpstream({
      headers: { [name]: 'its own', 'x-plain': 'seen' },
    });
    const { headers } = await executor().success({ method: 'GET', url: upstream.origin });
    expect(headers).toMatchObject({ [name]: 'REDACTED', 'x-plain': 'seen' });
  });

  it('of the strict mode', () => {
    const { isShown } = redactionRules('strict', {});
    const shown = [...list('Redaction'), 'ratelimit-limit', 'x-ratelimit-remaining'];
    const hidden = [
      'server',
      'via',
      'x-powered-by',
      'www-authenticate',
      'set-cookie',
      'x-location',
      'connection',
    ];
    expect([...shown, ...hidden].filter(isShown)).toEqual(shown);
  });
});
