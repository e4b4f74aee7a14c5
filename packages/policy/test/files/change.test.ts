import { describe, expect, it } from 'vitest';
import { changeOf, readProfiles } from '../../src/files/index.ts';

const read = (text: string) => readProfiles(`name: a\n${text}`, 'x');

/** [before, after, kind, looser, tighter] */
const CHANGES: [string, string, string, looser: string[], tighter: string[]][] = [
  ['', 'version: "2"', 'neutral', [], []],
  [
    '',
    'spend: { limit_major_units: 100 }',
    'tightening',
    [],
    ['highest limit that callers can set 500 major units → 100 major units'],
  ],
  [
    'spend: { limit_major_units: 50 }',
    'spend: { limit_major_units: 60 }',
    'loosening',
    ['spend limit 50 major units → 60 major units'],
    [],
  ],
  [
    '',
    'spend: { limit_major_units: 200 }',
    'mixed',
    ['spend limit 100 major units → 200 major units'],
    ['highest limit that callers can set 500 major units → 200 major units'],
  ],
  [
    '',
    'spend: { ceiling_major_units: 400 }',
    'tightening',
    [],
    [
      'spend ceiling 500 major units → 400 major units',
      'highest limit that callers can set 500 major units → 400 major units',
    ],
  ],
  [
    '',
    'spend: { max_user_limit_major_units: 0 }',
    'tightening',
    [],
    ['highest limit that callers can set 500 major units → 100 major units'],
  ],
  [
    '',
    'spend: { currencies: { JPY: { limit_minor_units: 15000, ceiling_minor_units: 75000 } } }',
    'loosening',
    [
      'spend limit JPY 100 → JPY 15000',
      'spend ceiling JPY 500 → JPY 75000',
      'highest limit that callers can set JPY 500 → JPY 15000',
    ],
    [],
  ],
  [
    'pii: { categories: { health: deny } }',
    'legal: { flags: { other: require_approval } }',
    'mixed',
    ['pii health deny → require_approval'],
    ['legal other allow → require_approval'],
  ],
  [
    'connector: { missing: deny }\npii: { missing: deny }',
    '',
    'loosening',
    ['missing pii deny → require_approval', 'missing connector deny → no_entry'],
    [],
  ],
  [
    '',
    'connector: { deny: [mcp://root, mcp://secrets] }',
    'loosening',
    ['connector mcp://admin deny → require_approval'],
    [],
  ],
  [
    '',
    'connector: { allow: [mcp://c*] }',
    'mixed',
    ['connector mcp://c require_approval → allow', 'connector mcp://c* require_approval → allow'],
    ['email', 'files', 'support', 'tasks'].map(
      (name) => `connector mcp://${name} allow → require_approval`,
    ),
  ],
  [
    'connector: { deny: [mcp://team-*], allow: [] }',
    'connector: { deny: [mcp://team-a*], allow: [mcp://team-*] }',
    'loosening',
    [
      'connector mcp://team- deny → allow',
      'connector mcp://team-/… deny → require_approval',
      'connector mcp://team-* deny → allow',
      'connector mcp://team-*/… deny → require_approval',
    ],
    [],
  ],
  [
    '',
    'connector: { unlisted: deny }',
    'tightening',
    [],
    [
      'connector without a scope require_approval → deny',
      ...['calendar', 'crm', 'email', 'files', 'support', 'tasks'].map(
        (name) => `connector mcp://${name}/… require_approval → deny`,
      ),
      'connector any other scope require_approval → deny',
    ],
  ],
];

describe('a change from one profile to another', () => {
  it('is reported once for all callers it applies to, in at most 100 sentences', () => {
    const set = (end: string, callers: number) =>
      readProfiles(
        JSON.stringify({
          ...{
            default: 'a',
            callers: Object.fromEntries(names('c', callers).map((c) => [c, 'b'])),
          },
          profiles: [
            { name: 'a' },
            { name: 'b', connector: { allow: names('mcp://s', 150, end) } },
          ],
        }),
        'x',
      );
    const names = (start: string, count: number, end = '') =>
      Array.from({ length: count }, (_, index) => `${start}${index}${end}`);
    const { looser } = changeOf(set('', 300), set('x', 300));
    expect(looser).toHaveLength(101);
    expect(looser[0]).toMatch(/^c0, c1, c2, c3, c4, and 295 more: connector mcp:/);
    expect(looser.at(-1)).toMatch(/^and \d+ more$/);
  });

  it.each(CHANGES)('%s | %s: %s', (before, after, kind, looser, tighter) => {
    expect(changeOf(read(before), read(after))).toEqual({ kind, looser, tighter });
    const back = changeOf(read(after), read(before));
    const reverse = { loosening: 'tightening', tightening: 'loosening' }[kind] ?? kind;
    expect([back.kind, back.looser.length]).toEqual([reverse, tighter.length]);
  });

  it('is reported for each caller whose profile changes', () => {
    const set = (callers: string) =>
      readProfiles(
        `default: a\nprofiles: [{ name: a }, { name: b, spend: { limit_major_units: 200, max_user_limit_major_units: 500 } }]\ncallers: { ${callers} }\n`,
        'x',
      );
    expect(changeOf(set('p: b, q: a'), set('p: a, q: b'))).toEqual({
      kind: 'mixed',
      looser: ['q: spend limit 100 major units → 200 major units'],
      tighter: ['p: spend limit 200 major units → 100 major units'],
    });
    expect(changeOf(set('p: b'), read('')).tighter).toEqual([
      'p: spend limit 200 major units → 100 major units',
    ]);
  });
});
