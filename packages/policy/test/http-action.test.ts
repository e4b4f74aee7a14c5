import { describe, expect, it } from 'vitest';
import {
  allowedInstead,
  checkPolicy,
  completeProfile,
  evaluate,
  type ProfileSource,
  toExplanation,
} from '../src/index.ts';
import { readValid } from './support/answers.ts';

type Actions = NonNullable<ProfileSource['actions']>;

const profileWith = (actions: Actions) => completeProfile({ name: 'own', actions });

const RULES: NonNullable<Actions['rules']> = [
  { host: 'api.test', methods: ['DELETE'], outcome: 'deny' },
  {
    host: 'api.test',
    methods: ['GET', 'HEAD'],
    paths: ['/v1/*', '/v1/*/items/**'],
    outcome: 'allow',
  },
  { host: 'api.test:8443', methods: ['POST'], outcome: 'allow' },
  { host: 'api.test', methods: ['POST'], paths: ['/v1/orders'], outcome: 'require_approval' },
  { host: '*.wild.test', outcome: 'allow' },
  { host: '[::1]', outcome: 'allow' },
];

/** Returns the outcome, code and `matched` of an action. */
function decide(request: string, actions: Actions = { rules: RULES }) {
  const [method, url] = request.split(' ');
  const own = profileWith(actions);
  const evaluation = evaluate(readValid({ action: { method, url } }), own);
  const { outcome, detail } = evaluation.rules.at(-1) ?? expect.fail('no rule');
  const { code, matched } = toExplanation(evaluation).rules.at(-1) ?? expect.fail('no rule');
  return { outcome, code, matched, detail };
}

const ALLOWED = ['allow', 'action_allowed'];
const UNLISTED = ['require_approval', 'action_unlisted', undefined];

/** [request, outcome, code, number of the rule that decided] */
const CASES: [request: string, ...expected: unknown[]][] = [
  ['GET https://api.test/v1/a', ...ALLOWED, 1],
  ['get https://api.test/v1/a', ...ALLOWED, 1],
  ['HEAD http://api.test:81/v1/a?b=c', ...ALLOWED, 1],
  ['GET https://API.test/v1/%61', ...ALLOWED, 1],
  ['GET https://api.test/v1/a/items/b/c', ...ALLOWED, 1],
  ['GET https://api.test/v1/', ...UNLISTED],
  ['GET https://api.test/v1/a/b', ...UNLISTED],
  ['GET https://api.test/v1/a/items', ...UNLISTED],
  ['GET https://api.test/V1/a', ...UNLISTED],
  ['PUT https://api.test/v1/a', ...UNLISTED],
  ['GET https://other.test/v1/a', ...UNLISTED],
  ['DELETE https://api.test/v1/a', 'deny', 'action_denied', 0],
  ['POST https://api.test:8443/x', ...ALLOWED, 2],
  ['POST https://api.test/x', ...UNLISTED],
  ['POST https://api.test:8442/x', ...UNLISTED],
  ['POST https://api.test/v1/orders', 'require_approval', 'action_needs_approval', 3],
  ['POST https://api.test:8443/v1/orders', ...ALLOWED, 2],
  ['PATCH https://a.b.wild.test/', ...ALLOWED, 4],
  ['PATCH https://wild.test/', ...UNLISTED],
  ['PATCH http://[0::1]/', ...ALLOWED, 5],
];

describe('the rule http_action', () => {
  it('applies the first rule that matches method, host and path', () => {
    for (const [request, outcome, code, index] of CASES) {
      const matched = index === undefined ? undefined : `/actions/rules/${index}`;
      expect([request, decide(request)]).toEqual([
        request,
        { outcome, code, matched, detail: expect.any(String) },
      ]);
    }
  });

  it('says in `detail` what decided', () => {
    const details = [
      [
        'GET https://api.test/v1/a?secret',
        'GET api.test/v1/a matches `/actions/rules/1` and is allowed.',
      ],
      [
        'DELETE http://api.test:81/',
        'DELETE api.test:81/ matches `/actions/rules/0` and is denied.',
      ],
      [
        'POST https://api.test/v1/orders',
        'POST api.test/v1/orders matches `/actions/rules/3` and needs approval.',
      ],
      ['GET https://x.test/', 'GET x.test/ matches no rule in the profile, so it needs approval.'],
      [
        'GET https://api.test/v1//a',
        'GET api.test/v1//a needs approval, because the path can be read in more than one way.',
      ],
    ] as const;
    for (const [request, detail] of details) expect(decide(request).detail).toBe(detail);
    const long = `GET https://api.test/${'x'.repeat(200)}`;
    expect(decide(long).detail).toContain(`api.test/${'x'.repeat(126)}… matches no rule`);
  });

  it('answers a check without an action with `missing`, and is absent without `actions`', () => {
    for (const missing of ['require_approval', 'deny'] as const) {
      const evaluation = evaluate({}, profileWith({ missing }));
      expect(evaluation.rules.at(-1)).toEqual({
        rule: 'http_action',
        outcome: missing,
        code: 'section_missing',
        detail: 'The request has no action, so what would be sent is unknown.',
        facts: {},
      });
    }
    const { rules } = evaluate(readValid({ action: { method: 'GET', url: 'https://api.test/' } }));
    expect(rules.map(({ rule }) => rule)).not.toContain('http_action');
  });

  it('completes `missing` and `unlisted`, and leaves a profile without `actions` alone', () => {
    expect(profileWith({}).actions).toEqual({
      missing: 'require_approval',
      unlisted: 'require_approval',
      rules: [],
    });
    expect(completeProfile({ name: 'a' })).not.toHaveProperty('actions');
    expect(decide('GET https://a.test/', { unlisted: 'deny' })).toMatchObject({
      outcome: 'deny',
      code: 'action_unlisted',
    });
  });
});

type Rule = NonNullable<Actions['rules']>[number];
const host = 'a.test';
const any = (outcome: Rule['outcome']): Rule => ({ host, outcome });
const some = (outcome: Rule['outcome'], more: object = {}): Rule => {
  return { host, paths: ['/never'], outcome, ...more };
};

describe('an ambiguous path', () => {
  it.each<[string, Actions, outcome: string]>([
    ['an allowed host', { rules: [any('allow')] }, 'require_approval'],
    ['a denied host', { rules: [any('deny')] }, 'deny'],
    ['a denied path', { rules: [some('deny'), any('allow')] }, 'deny'],
    [
      'a denied path after the host',
      { rules: [any('allow'), some('deny', { host: '*.test' })] },
      'deny',
    ],
    [
      'a denied path of another method',
      { rules: [some('deny', { methods: ['PUT'] }), any('allow')] },
      'require_approval',
    ],
    [
      'a denied path of another host',
      { rules: [some('deny', { host: 'b.test' }), any('allow')] },
      'require_approval',
    ],
    [
      'a denied path on another port',
      { rules: [some('deny', { host: 'a.test:81' }), any('allow')] },
      'require_approval',
    ],
    ['an allowed path', { rules: [some('allow')] }, 'require_approval'],
    ['an allowed path, all others denied', { rules: [some('allow')], unlisted: 'deny' }, 'deny'],
    [
      'an allowed path, the host allowed',
      { rules: [some('allow'), any('allow')], unlisted: 'deny' },
      'require_approval',
    ],
    [
      'the first of two rules for all paths',
      { rules: [{ ...any('allow'), methods: ['GET'] }, any('deny')] },
      'require_approval',
    ],
  ])('gets the strictest outcome of %s', (_name, actions, outcome) => {
    for (const path of ['/a%2Fb', '/a//b', '/a/../b', '/a;b', '/%ff', '/a%5cb'])
      expect([path, decide(`GET https://a.test${path}`, actions)]).toEqual([
        path,
        { outcome, code: 'action_ambiguous', matched: undefined, detail: expect.any(String) },
      ]);
  });

  it('makes the sections that any rule states for its host count as missing', () => {
    const facts = { spend: 'none', pii: { categories: [] } } as const;
    const own = profileWith({
      rules: [
        some('deny', { methods: ['PUT'], facts }),
        { ...any('allow'), facts: { legal: { flags: [] } } },
      ],
    });
    const sections = { spend: { amount_minor_units: 1, currency: 'EUR' }, legal: { flags: [] } };
    const action = { method: 'GET', url: 'https://a.test/a%2Fb' };
    const { rules } = evaluate(readValid({ ...sections, action }), own);
    for (const [index, section] of ['spend', 'pii', 'legal'].entries())
      expect(rules[index]).toMatchObject({
        outcome: 'require_approval',
        code: 'section_missing',
        detail: `The profile states ${section}, but the path can be read in more than one way, so the section counts as missing.`,
        facts: { stated_by: 'profile' },
      });
    const elsewhere = { method: 'GET', url: 'https://b.test/a%2Fb' };
    const { rules: others } = evaluate(readValid({ ...sections, action: elsewhere }), own);
    expect(others[0]).toMatchObject({ outcome: 'allow', code: 'within_limit' });
  });
});

describe('an explanation of http_action', () => {
  const explained = (url: string, actions: Actions, method = 'POST') => {
    const check = readValid({ action: { method, url } });
    return toExplanation(evaluate(check, profileWith(actions))).rules.at(-1);
  };

  it('has the action, the rule and a remedy', () => {
    expect(explained('https://api.test:8443/v1/a?b', { rules: RULES }, 'DELETE')).toEqual({
      rule: 'http_action',
      code: 'action_denied',
      action: { method: 'DELETE', host: 'api.test:8443', path: '/v1/a' },
      matched: '/actions/rules/0',
      remedy: {
        use_requests: [
          'GET,HEAD api.test/v1/*',
          'GET,HEAD api.test/v1/*/items/**',
          'POST api.test:8443, any path',
        ],
      },
    });
    expect(explained('https://a.wild.test/', { rules: RULES })).not.toHaveProperty('remedy');
    expect(explained('https://x.test/', { rules: RULES })).not.toHaveProperty('remedy');
  });

  it('suggests at most 20 requests, in words', () => {
    const paths = Array.from({ length: 21 }, (_, n) => `/${n}`);
    const entry = explained('https://a.test/x', { rules: [{ host, paths, outcome: 'allow' }] });
    expect(entry?.remedy?.use_requests).toEqual(
      paths.slice(0, 20).map((path) => `any method a.test${path}`),
    );
    const two = explained('https://a.test/x', {
      rules: [{ host, paths: ['/1', '/2'], methods: ['PUT'], outcome: 'allow' }],
    });
    expect(two && allowedInstead(two)).toBe('one of these requests: PUT a.test/1; PUT a.test/2');
    const none = explained('https://a.test/x', {});
    expect(none && allowedInstead(none)).toBeUndefined();
  });
});

it('checkPolicy applies the rules on actions', () => {
  const own = profileWith({ rules: [any('deny')] });
  const action = { method: 'GET', url: 'https://a.test/' };
  expect(checkPolicy({ action }, own)).toMatchObject({ ok: true, response: { decision: 'deny' } });
});
