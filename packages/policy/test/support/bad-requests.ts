/** A value that is not a check request, with the JSON Pointer of every member that is wrong. */
type BadRequest = readonly [body: unknown, ...pointers: string[]];

const SPEND = { amount_minor_units: 1, currency: 'EUR' };

const WRONG_AMOUNTS = ['5', 5.5, true, -1, 2 ** 53, 1e300, [5], {}];

const WITHOUT_MINOR_UNITS = 'XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX xau'.split(' ');
const WRONG_CURRENCIES = [
  ...[null, 978, '', '978', 'EU', 'EURO', ' EUR ', 'EUR\n', ['EUR'], 'constructor'],
  // Codes that ISO 4217 does not list: an unknown one, a withdrawn one, a crypto token, and two
  // that case folding would turn into USD and KWD.
  ...['ZZZ', 'DEM', 'BTC', 'u\u017Fd', '\u212AWD'],
  ...WITHOUT_MINOR_UNITS,
];

/** Values that are wrong as a list of labels, each with the places that are wrong. */
const WRONG_LISTS: [value: unknown, ...places: string[]][] = [
  [null, ''],
  ['other', ''],
  [{}, ''],
  [['other', 'nonsense'], '/1'],
  [['Other'], '/0'],
  [['other '], '/0'],
  [[''], '/0'],
  [[null], '/0'],
  [['other', 1], '/1'],
  [[['other']], '/0'],
  [['toString'], '/0'],
  [['x', 'other', 'y'], '/0', '/2'],
];

const LONG_IDS = ['x'.repeat(129), '\u{1F6AA}'.repeat(129)];

export const BAD_REQUESTS: readonly BadRequest[] = [
  ...[null, 5, 5.5, true, 'spend', [], [{}]].map((body): BadRequest => [body, '']),
  ...['spend', 'pii', 'legal', 'connector'].flatMap((section) =>
    [5, true, 'none', []].map((value): BadRequest => [{ [section]: value }, `/${section}`]),
  ),
  [{ spend: {} }, '/spend/amount_minor_units', '/spend/currency'],
  [{ spend: { currency: 'EUR' } }, '/spend/amount_minor_units'],
  [{ spend: { amount_minor_units: 1 } }, '/spend/currency'],
  [{ pii: {} }, '/pii/categories'],
  [{ legal: {} }, '/legal/flags'],
  ...[null, ...WRONG_AMOUNTS].map((value) => inSpend('amount_minor_units', value)),
  ...WRONG_AMOUNTS.map((value) => inSpend('user_limit_minor_units', value)),
  ...WRONG_CURRENCIES.map((value) => inSpend('currency', value)),
  ...WRONG_LISTS.flatMap(([list, ...places]): BadRequest[] => [
    [{ pii: { categories: list } }, ...places.map((place) => `/pii/categories${place}`)],
    [{ legal: { flags: list } }, ...places.map((place) => `/legal/flags${place}`)],
  ]),
  ...[5, true, [], {}, ['mcp://calendar']].map(
    (scope): BadRequest => [{ connector: { scope } }, '/connector/scope'],
  ),
  ...[5, true, {}, ['a'], ...LONG_IDS].map((id): BadRequest => [{ request_id: id }, '/request_id']),
  [{ spned: SPEND }, '/spned'],
  [{ Spend: SPEND }, '/Spend'],
  [{ user: null }, '/user'],
  inSpend('amount', 1),
  [{ pii: { categories: [], x: 1 } }, '/pii/x'],
  [{ legal: { flags: [], x: 1 } }, '/legal/x'],
  [{ connector: { Scope: '' } }, '/connector/Scope'],
  [{ '': 1 }, '/'],
  [{ 'a/b~c': 1 }, '/a~1b~0c'],
  [{ toString: 1 }, '/toString'],
  [
    {
      request_id: 1,
      spend: { amount_minor_units: -1, currency: 'ZZZ', user_limit_minor_units: 0.5, x: 1 },
      pii: { categories: ['x'] },
      legal: {},
      extra: 1,
    },
    ...['/extra', '/legal/flags', '/pii/categories/0', '/request_id'],
    ...[
      '/spend/amount_minor_units',
      '/spend/currency',
      '/spend/user_limit_minor_units',
      '/spend/x',
    ],
  ],
];

function inSpend(member: string, value: unknown): BadRequest {
  return [{ spend: { ...SPEND, [member]: value } }, `/spend/${member}`];
}

/** Values that look odd but are well-formed. */
export const ODD_REQUESTS: readonly unknown[] = [
  { request_id: '' },
  { request_id: 'x'.repeat(128) },
  { request_id: '\u{1F6AA}'.repeat(128) },
  { spend: { ...SPEND, amount_minor_units: 0 } },
  { spend: { ...SPEND, amount_minor_units: -0 } },
  { spend: { ...SPEND, amount_minor_units: 2 ** 53 - 1 } },
  { spend: { ...SPEND, user_limit_minor_units: 2 ** 53 - 1 } },
  { pii: { categories: ['other', 'other'] } },
  { legal: { flags: Array(1_000).fill('terms_unknown') } },
  { connector: { scope: `mcp://${'x'.repeat(9_994)}` } },
  { connector: { scope: '\n\0\n' } },
  { connector: { scope: 'mcp://\uD83D' } },
  { connector: { scope: `mcp://x${'\u{1F6AA}'.repeat(200)}` } },
];
