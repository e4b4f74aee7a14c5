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

const rule = (request: string, rest: string) => {
  const [method, path] = request.split(' ');
  return `{ host: a.test, methods: [${method}], paths: [${path}], ${rest} }`;
};
const actions = (...rules: string[]) => `actions: { rules: [${rules.join(', ')}] }`;
const [READ, WRITE, REMOVE] = [
  rule('GET /a', 'outcome: allow'),
  rule('POST /a', 'outcome: require_approval'),
  rule('PUT /a', 'outcome: deny'),
];
const FREE = rule('GET /a', 'outcome: allow, facts: { spend: none }');
const HARMLESS = rule('GET /a', 'outcome: allow, facts: { pii: { categories: [] } }');
const NONE = '{"spend":"none"}';
const NEW_SECTION = [
  'missing action no_entry → require_approval',
  'unlisted action no_entry → require_approval',
];

/** Changes of `actions`, as above, each also with what the reverse change reports. */
const ACTION_CHANGES: [string, string, looser: string[], tighter: string[]][] = [
  ['', actions(), [], NEW_SECTION],
  [
    actions(),
    '',
    ['missing action require_approval → no_entry', 'unlisted action require_approval → no_entry'],
    [],
  ],
  ['', actions(READ), [], [...NEW_SECTION, 'actions GET a.test/a no rule → allow']],
  ['', actions(FREE), [`actions GET a.test/a no rule → allow, facts ${NONE}`], NEW_SECTION],
  [
    actions(READ),
    '',
    [
      'missing action require_approval → no_entry',
      'unlisted action require_approval → no_entry',
      'actions GET a.test/a allow → no rule',
    ],
    [],
  ],
  [
    'actions: { missing: deny }',
    'actions: { unlisted: deny }',
    ['missing action deny → require_approval'],
    ['unlisted action require_approval → deny'],
  ],
  [actions(), actions(READ), ['actions GET a.test/a no rule → allow'], []],
  [actions(), actions(WRITE), ['actions POST a.test/a no rule → require_approval'], []],
  [actions(), actions(REMOVE), [], ['actions PUT a.test/a no rule → deny']],
  [actions(READ, WRITE), actions(WRITE), [], ['actions GET a.test/a allow → no rule']],
  [
    actions(FREE, WRITE),
    actions(WRITE),
    [`actions GET a.test/a allow, facts ${NONE} → no rule`],
    [],
  ],
  [
    actions(rule('PUT /b', 'outcome: allow'), FREE),
    actions(FREE),
    ['actions PUT a.test/b allow → no rule'],
    [],
  ],
  [actions(WRITE), actions(), ['actions POST a.test/a require_approval → no rule'], []],
  [actions(REMOVE), actions(), ['actions PUT a.test/a deny → no rule'], []],
  [
    actions(READ, WRITE),
    actions(WRITE, READ),
    ['actions POST a.test/a rule 2 → rule 1', 'actions GET a.test/a rule 1 → rule 2'],
    [],
  ],
  [actions(READ), actions(FREE), [`actions GET a.test/a allow → allow, facts ${NONE}`], []],
  [
    actions(FREE),
    actions(HARMLESS),
    [`actions GET a.test/a allow, facts ${NONE} → allow, facts {"pii":{"categories":[]}}`],
    [],
  ],
  [
    actions(READ),
    actions(rule('GET /a', 'outcome: deny')),
    [],
    ['actions GET a.test/a allow → deny'],
  ],
  [
    actions(WRITE),
    actions(rule('POST /a', 'outcome: allow')),
    ['actions POST a.test/a require_approval → allow'],
    [],
  ],
  [
    actions(FREE),
    actions(rule('GET /a', 'outcome: deny, facts: { pii: { categories: [] } }')),
    [`actions GET a.test/a allow, facts ${NONE} → deny, facts {"pii":{"categories":[]}}`],
    [],
  ],
  [
    actions('{ host: a.test, paths: [/**], outcome: deny }', '{ host: a.test, outcome: deny }'),
    actions('{ host: a.test, paths: [/**], outcome: deny }', '{ host: a.test, outcome: allow }'),
    ['actions any method a.test, any path deny → allow'],
    [],
  ],
];

describe('a change of the rules on actions', () => {
  it.each(ACTION_CHANGES)('%s | %s', (before, after, looser, tighter) => {
    const found = changeOf(read(before), read(after));
    expect([found.looser, found.tighter]).toEqual([looser, tighter]);
    expect(changeOf(read(after), read(before)).kind).not.toBe('neutral');
    expect(changeOf(read(after), read(after)).kind).toBe('neutral');
  });
});
