/**
 * A value that is not a check request, with the JSON Pointer of every member that is
 * wrong.
 */
export type BadRequest = { name: string; body: unknown; pointers: string[] };

const SPEND = { amount_minor_units: 1, currency: 'EUR' };

const wrongAmounts: [name: string, value: unknown][] = [
  ['null', null],
  ['a string of digits', '5'],
  ['a fraction', 5.5],
  ['a boolean', true],
  ['negative', -1],
  ['2^53', 2 ** 53],
  ['1e300', 1e300],
  ['a list', [5]],
  ['an object', {}],
];

const wrongCurrencies: [name: string, value: unknown][] = [
  ['null', null],
  ['a number', 978],
  ['empty', ''],
  ['a numeric code', '978'],
  ['too short', 'EU'],
  ['too long', 'EURO'],
  ['in blanks', ' EUR '],
  ['with a line break', 'EUR\n'],
  ['not in ISO 4217', 'ZZZ'],
  ['withdrawn', 'DEM'],
  ...'XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX xau'
    .split(' ')
    .map((code): [string, string] => [`${code}, which has no minor units`, code]),
  ['a token', 'BTC'],
  ['folding onto USD', 'u\u017Fd'],
  ['folding onto KWD', '\u212AWD'],
  ['an inherited key', 'constructor'],
  ['a list', ['EUR']],
];

const wrongLists: [name: string, value: unknown, places: string[]][] = [
  ['null', null, ['']],
  ['a string', 'other', ['']],
  ['an object', {}, ['']],
  ['with an unknown value', ['other', 'nonsense'], ['/1']],
  ['with another case', ['Other'], ['/0']],
  ['with a blank', ['other '], ['/0']],
  ['with an empty string', [''], ['/0']],
  ['with null', [null], ['/0']],
  ['with a number', ['other', 1], ['/1']],
  ['with a list', [['other']], ['/0']],
  ['with an inherited key', ['toString'], ['/0']],
  ['wrong in two places', ['x', 'other', 'y'], ['/0', '/2']],
];

export const BAD_REQUESTS: readonly BadRequest[] = [
  ...[null, 5, 5.5, true, 'spend', [], [{}]].map((body) => ({
    name: `the body is ${JSON.stringify(body)}`,
    body,
    pointers: [''],
  })),
  ...['spend', 'pii', 'legal', 'connector'].flatMap((section) =>
    [5, true, 'none', []].map((value) => ({
      name: `${section} is ${JSON.stringify(value)}`,
      body: { [section]: value },
      pointers: [`/${section}`],
    })),
  ),
  {
    name: 'spend is {}',
    body: { spend: {} },
    pointers: ['/spend/amount_minor_units', '/spend/currency'],
  },
  { name: 'pii is {}', body: { pii: {} }, pointers: ['/pii/categories'] },
  { name: 'legal is {}', body: { legal: {} }, pointers: ['/legal/flags'] },
  {
    name: 'amount is missing',
    body: { spend: { currency: 'EUR' } },
    pointers: ['/spend/amount_minor_units'],
  },
  {
    name: 'currency is missing',
    body: { spend: { amount_minor_units: 1 } },
    pointers: ['/spend/currency'],
  },
  ...wrongAmounts.map(([name, value]) => ({
    name: `the amount is ${name}`,
    body: { spend: { ...SPEND, amount_minor_units: value } },
    pointers: ['/spend/amount_minor_units'],
  })),
  ...wrongAmounts.slice(1).map(([name, value]) => ({
    name: `the user limit is ${name}`,
    body: { spend: { ...SPEND, user_limit_minor_units: value } },
    pointers: ['/spend/user_limit_minor_units'],
  })),
  ...wrongCurrencies.map(([name, value]) => ({
    name: `the currency is ${name}`,
    body: { spend: { ...SPEND, currency: value } },
    pointers: ['/spend/currency'],
  })),
  ...['pii/categories', 'legal/flags'].flatMap((place) =>
    wrongLists.map(([name, value, places]) => ({
      name: `${place} is ${name}`,
      body: inside(place, value),
      pointers: places.map((item) => `/${place}${item}`),
    })),
  ),
  ...[5, true, [], {}, ['mcp://calendar']].map((scope) => ({
    name: `the scope is ${JSON.stringify(scope)}`,
    body: { connector: { scope } },
    pointers: ['/connector/scope'],
  })),
  ...[5, true, {}, ['a'], 'x'.repeat(129), '\u{1F6AA}'.repeat(129)].map((id) => ({
    name: `request_id is ${JSON.stringify(id).slice(0, 20)}`,
    body: { request_id: id },
    pointers: ['/request_id'],
  })),
  { name: 'an unknown section', body: { spned: SPEND }, pointers: ['/spned'] },
  { name: 'a section in another case', body: { Spend: SPEND }, pointers: ['/Spend'] },
  { name: 'an unknown section that is null', body: { user: null }, pointers: ['/user'] },
  {
    name: 'an unknown member of spend',
    body: { spend: { ...SPEND, amount: 1 } },
    pointers: ['/spend/amount'],
  },
  {
    name: 'an unknown member of pii',
    body: { pii: { categories: [], x: 1 } },
    pointers: ['/pii/x'],
  },
  {
    name: 'an unknown member of legal',
    body: { legal: { flags: [], x: 1 } },
    pointers: ['/legal/x'],
  },
  {
    name: 'an unknown member of connector',
    body: { connector: { Scope: '' } },
    pointers: ['/connector/Scope'],
  },
  { name: 'an unknown member with an empty name', body: { '': 1 }, pointers: ['/'] },
  { name: 'an unknown member named like a pointer', body: { 'a/b~c': 1 }, pointers: ['/a~1b~0c'] },
  {
    name: 'an unknown member that objects inherit',
    body: { toString: 1 },
    pointers: ['/toString'],
  },
  {
    name: 'everything is wrong at once',
    body: {
      request_id: 1,
      spend: { amount_minor_units: -1, currency: 'ZZZ', user_limit_minor_units: 0.5, x: 1 },
      pii: { categories: ['x'] },
      legal: {},
      connector: { scope: 1 },
      extra: 1,
    },
    pointers: [
      '/connector/scope',
      '/extra',
      '/legal/flags',
      '/pii/categories/0',
      '/request_id',
      '/spend/amount_minor_units',
      '/spend/currency',
      '/spend/user_limit_minor_units',
      '/spend/x',
    ],
  },
];

/** Values that look odd and are well-formed all the same. */
export const ODD_REQUESTS: readonly [name: string, body: unknown][] = [
  ['request_id empty', { request_id: '' }],
  ['request_id of 128 characters', { request_id: 'x'.repeat(128) }],
  ['request_id of 128 characters beyond the BMP', { request_id: '\u{1F6AA}'.repeat(128) }],
  ['amount 0', { spend: { ...SPEND, amount_minor_units: 0 } }],
  ['amount -0', { spend: { ...SPEND, amount_minor_units: -0 } }],
  ['amount 2^53-1', { spend: { ...SPEND, amount_minor_units: 2 ** 53 - 1 } }],
  ['user limit 2^53-1', { spend: { ...SPEND, user_limit_minor_units: 2 ** 53 - 1 } }],
  ['a category twice', { pii: { categories: ['other', 'other'] } }],
  ['a flag a thousand times', { legal: { flags: Array(1_000).fill('terms_unknown') } }],
  ['a scope of 10 000 characters', { connector: { scope: `mcp://${'x'.repeat(9_994)}` } }],
  ['a scope of line breaks and NULs', { connector: { scope: '\n\0\n' } }],
  ['a scope cut in the middle of a character', { connector: { scope: 'mcp://\uD83D' } }],
  [
    'a long scope of characters beyond the BMP',
    { connector: { scope: `mcp://x${'\u{1F6AA}'.repeat(200)}` } },
  ],
];

function inside(place: string, value: unknown): unknown {
  const [section = '', member = ''] = place.split('/');
  return { [section]: { [member]: value } };
}
