import {
  PROBLEM_CODES,
  PROBLEMS,
  type Problem,
  type ProblemCode,
  problemType,
} from '@gatehouse/contracts';
import { shared } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { readProblem, startExecutor } from './support/executor.ts';
import { textWith } from './support/outcomes.ts';
import { resolver } from './support/resolver.ts';

/** Names that lead to one address of each class. */
const CLASSES: [kind: string, address: string][] = [
  ['private', '10.0.0.1'],
  ['loopback', '127.0.0.1'],
  ['link-local', '169.254.7.7'],
  ['carrier-grade NAT', '100.64.0.1'],
  ['unspecified', '0.0.0.0'],
  ['multicast', '224.0.0.1'],
  ['broadcast', '255.255.255.255'],
  ['documentation', '192.0.2.1'],
  ['benchmarking', '198.18.0.1'],
  ['reserved', '240.0.0.1'],
  ['unique local', 'fd00::1'],
  ['site-local', 'fec0::1'],
  ['private', '::ffff:10.0.0.1'],
];

const nameOf = (address: string) => `${address.replaceAll(/[.:]/g, '-')}.test`;

const executor = shared(() => {
  const addresses = [...CLASSES.map(([, address]) => address), '169.254.169.254'];
  const names = Object.fromEntries(addresses.map((address) => [nameOf(address), [[address]]]));
  return startExecutor({
    env: {
      HTTP_EXECUTOR_ALLOWED_HOSTS: 'localhost,127.0.0.1,*.test',
      HTTP_EXECUTOR_MAX_REQUEST_BYTES: '5000',
    },
    connect: { resolve: resolver({ ...names, localhost: [['10.0.0.1']] }).resolve },
  });
});

const NO_WAY_AROUND =
  / Other spellings or routes will not help\.$|; other spellings are refused\.$/;
const HOSTS = 'HTTP_EXECUTOR_ALLOWED_HOSTS';
const NETWORKS = 'HTTP_EXECUTOR_ALLOWED_NETWORKS';

/**
 * What the detail of a 403 names: the rule, the host in canonical form or the class of
 * its address, the setting.
 */
const FORBIDDEN: [name: string, url: () => string, code: ProblemCode, named: string[]][] = [
  [
    'a host off the allowlist',
    () => 'http://elsewhere.example/',
    'HostNotAllowed',
    ['`elsewhere.example`', 'allowlist', HOSTS],
  ],
  [
    'one in upper case',
    () => 'http://ELSEWHERE.example/',
    'HostNotAllowed',
    ['`elsewhere.example`', 'allowlist', HOSTS],
  ],
  [
    'one with a port',
    () => 'http://elsewhere.example:8443/',
    'HostNotAllowed',
    ['`elsewhere.example:8443`', HOSTS],
  ],
  [
    'one in another script',
    () => 'http://bücher.example/',
    'HostNotAllowed',
    ['`xn--bcher-kva.example`', HOSTS],
  ],
  [
    'a decimal address',
    () => 'http://2130706433/',
    'HostNotAllowed',
    ['canonical form', '`127.0.0.1`', HOSTS],
  ],
  [
    'an encoded name',
    () => 'http://%6cocalhost/',
    'HostNotAllowed',
    ['canonical form', '`localhost`', HOSTS],
  ],
  [
    'the executor itself',
    () => executor().url,
    'AddressNotAllowed',
    ['`127.0.0.1`', 'this executor itself', 'no setting'],
  ],
  [
    'localhost that leads elsewhere',
    () => 'http://localhost/',
    'AddressNotAllowed',
    ['`localhost`', 'loopback', 'private', 'no setting'],
  ],
  [
    'cloud metadata',
    () => `http://${nameOf('169.254.169.254')}/`,
    'AddressNotAllowed',
    ['cloud metadata', 'no network setting', HOSTS],
  ],
  ...CLASSES.map(([kind, address]): [string, () => string, ProblemCode, string[]] => [
    `${kind}: ${address}`,
    () => `http://${nameOf(address)}/`,
    'AddressNotAllowed',
    [`\`${nameOf(address)}\``, kind, NETWORKS],
  ]),
];

describe('a 403 says why, and what an operator would have to change', () => {
  it.each(FORBIDDEN)('%s', async (_name, url, code, named) => {
    for (const query of ['', '?dry_run=true']) {
      const response = await fetch(`${executor().url}/execute${query}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ method: 'GET', url: url() }),
      });
      const problem = await readProblem(response);
      expect(problem).toMatchObject({ status: 403, code, detail: textWith(...named) });
      expect(problem.detail).toMatch(NO_WAY_AROUND);
      expectShort(problem);
    }
  });
});

/**
 * A model reads at most three sentences: what happened, what to change, and that nothing
 * else helps.
 */
function expectShort({ detail }: Problem) {
  expect(detail.length, detail).toBeLessThan(400);
  expect(
    detail.split(/[.;](?: |$)/).filter((sentence) => sentence !== '').length,
    detail,
  ).toBeLessThanOrEqual(3);
}

const ACTION = { method: 'GET', url: 'http://127.0.0.1/' };
const post = (body: unknown, type = 'application/json'): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': type },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

/** What the detail of the other problems tells the caller to do. */
const OTHERS: [
  code: ProblemCode,
  status: number,
  path: string,
  init: RequestInit,
  named: string[],
][] = [
  ['MalformedJson', 400, '/execute', post('{'), ['Send', 'JSON']],
  [
    'MalformedJson',
    400,
    '/execute',
    post('{"method":"GET","method":"PUT"}'),
    ['`method`', 'twice'],
  ],
  ['MalformedUrl', 400, '/execute%', post(ACTION), ['Encode', 'path']],
  [
    'InvalidAction',
    400,
    '/execute',
    post({ ...ACTION, method: 'BREW' }),
    ['`/method`', 'GET', 'OPTIONS'],
  ],
  [
    'InvalidAction',
    400,
    '/execute',
    post({ ...ACTION, url: 'http://127.0.0.1:22/' }),
    ['`/url`', 'port 22'],
  ],
  [
    'InvalidAction',
    400,
    '/execute',
    post({ ...ACTION, headers: { host: 'a' } }),
    ['`/headers/host`', 'leave it out'],
  ],
  ['InvalidAction', 400, '/execute?dry_run=maybe', post(ACTION), ['dry_run', 'true', 'false']],
  [
    'InvalidResponseSchema',
    400,
    '/execute',
    post({ ...ACTION, response_schema: { typ: 'object' } }),
    ['/response_schema/typ', '`type` was probably meant'],
  ],
  ['NotFound', 404, '/run', post(ACTION), ['/execute', '/sandbox']],
  ['MethodNotAllowed', 405, '/execute', { method: 'GET' }, ['Use POST']],
  ['PayloadTooLarge', 413, '/execute', post('x'.repeat(5_001)), ['5000 bytes']],
  ['UnsupportedMediaType', 415, '/execute', post(ACTION, 'text/plain'), ['application/json']],
];

describe('any other refusal says what to change', () => {
  it.each(OTHERS)('%s, %i at %s', async (code, status, path, init, named) => {
    const problem = await readProblem(await fetch(executor().url + path, init));
    expect(problem).toMatchObject({
      code,
      status,
      detail: textWith(...named),
    });
    expectShort(problem);
  });
});

describe('the page of a problem', () => {
  it.each(PROBLEM_CODES)('%s can be read', async (code) => {
    expect(problemType(code)).toMatch(/^\/problems\/[a-z]+(?:-[a-z]+)*$/);
    const response = await fetch(executor().url + problemType(code));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const { title, status } = PROBLEMS[code];
    expect(await response.text()).toEqual(
      textWith(`<h1>${title}</h1>`, `<code>${code}</code>`, `${status}`, 'What to do', '<pre>'),
    );
  });

  it.each(['HostNotAllowed', 'AddressNotAllowed'] as const)(
    '%s names the setting and says that nothing else helps',
    async (code) => {
      const page = await fetch(executor().url + problemType(code)).then((response) =>
        response.text(),
      );
      expect(page).toEqual(
        textWith(
          'Nothing was sent.',
          'spelling',
          'will not help',
          'operator',
          code === 'HostNotAllowed' ? HOSTS : NETWORKS,
        ),
      );
    },
  );
});
