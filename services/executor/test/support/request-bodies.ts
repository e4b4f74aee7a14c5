/**
 * Contract section 3, "Request body": what arrives under a content type, or what is
 * refused.
 */

const FORM = 'application/x-www-form-urlencoded';
const FORMS = [FORM, 'Application/X-WWW-Form-Urlencoded', `${FORM}; charset=UTF-8`];
const RAW_TYPES = [
  'text/plain',
  'text/plain; charset=utf-8',
  'TEXT/CSV',
  'text/xml',
  'application/xml',
  'application/soap+xml',
  'application/graphql',
  'application/x-ndjson',
  'application/octet-stream',
  'application/jsonx',
  'application/yaml',
];

export interface TypedBody {
  readonly name: string;
  readonly types: readonly string[];
  /** JSON as it stands in the action. */
  readonly body: string;
}

/** What an upstream reads from the form, in order. */
export const FORM_BODIES: readonly (TypedBody & {
  readonly fields: readonly [string, string][];
})[] = (
  [
    [
      'strings',
      '{"a":"x","b":"y z"}',
      [
        ['a', 'x'],
        ['b', 'y z'],
      ],
    ],
    [
      'marks of forms',
      '{"q&a":"1=2&3+4%","p%20":"#?/"}',
      [
        ['q&a', '1=2&3+4%'],
        ['p%20', '#?/'],
      ],
    ],
    ['other scripts', '{"ключ":"café 😀"}', [['ключ', 'café 😀']]],
    ['escapes', String.raw`{"\u0061":"\u00e9\n\/"}`, [['a', 'é\n/']]],
    [
      'numbers, digit by digit',
      '{"id":9007199254740993,"n":1.0,"e":1E5,"z":-0,"big":1e400}',
      [
        ['id', '9007199254740993'],
        ['n', '1.0'],
        ['e', '1E5'],
        ['z', '-0'],
        ['big', '1e400'],
      ],
    ],
    [
      'a number of many digits',
      '{"ns":1712345678123456789,"m":10000.0000000000001}',
      [
        ['ns', '1712345678123456789'],
        ['m', '10000.0000000000001'],
      ],
    ],
    [
      'booleans',
      '{"t":true,"f":false}',
      [
        ['t', 'true'],
        ['f', 'false'],
      ],
    ],
    [
      'a list',
      '{"id":["a","b"],"n":[1.0,2,true]}',
      [
        ['id', 'a'],
        ['id', 'b'],
        ['n', '1.0'],
        ['n', '2'],
        ['n', 'true'],
      ],
    ],
    [
      'names like numbers in odd order',
      '{"2":"b","1":"a","10":"c"}',
      [
        ['2', 'b'],
        ['1', 'a'],
        ['10', 'c'],
      ],
    ],
    [
      'empty names and strings',
      '{"":"x","e":""}',
      [
        ['', 'x'],
        ['e', ''],
      ],
    ],
    [
      'names of Object',
      '{"constructor":"a","toString":"b"}',
      [
        ['constructor', 'a'],
        ['toString', 'b'],
      ],
    ],
    [
      'brackets in names',
      '{"items[0][price]":"p","expand[]":["a","b"]}',
      [
        ['items[0][price]', 'p'],
        ['expand[]', 'a'],
        ['expand[]', 'b'],
      ],
    ],
  ] as [string, string, [string, string][]][]
).map(([name, body, fields]) => ({ name, types: FORMS, body, fields }));

/** A string whose bytes arrive as they are. */
export const RAW_BODIES: readonly (TypedBody & { readonly bytes: string })[] = (
  [
    ['a form made by hand', FORMS, '"a=1&b=%20+%2f&a=2"', 'a=1&b=%20+%2f&a=2'],
    ['a form that is no form', FORMS, '"\\u00e9 é"', 'é é'],
    ['nothing at all, as a form', FORMS, '""', ''],
    ['text', RAW_TYPES, '"plain"', 'plain'],
    ['text in other scripts', RAW_TYPES, '"café – 😀 \\ud83d\\ude00"', 'café – 😀 😀'],
    [
      'text with line breaks and quotes',
      RAW_TYPES,
      '"a\\r\\n\\"b\\"\\t\\u0000\\\\n"',
      'a\r\n"b"\t\0\\n',
    ],
    ['text that looks like JSON', RAW_TYPES, '"{\\"n\\": 1.0}\\n"', '{"n": 1.0}\n'],
    ['text with a byte order mark', RAW_TYPES, '"\\ufeffx"', '\ufeffx'],
    ['nothing at all', RAW_TYPES, '""', ''],
    [
      'a long text',
      ['text/plain'],
      JSON.stringify('long é\n'.repeat(50_000)),
      'long é\n'.repeat(50_000),
    ],
  ] as [string, string[], string, string][]
).map(([name, types, body, bytes]) => ({ name, types, body, bytes }));

/** Under JSON, a string is JSON too. */
export const JSON_STRINGS: readonly (TypedBody & { readonly bytes: string })[] = [
  'application/json',
  'application/vnd.api+json',
  'application/merge-patch+json; charset=utf-8',
].map((type) => ({ name: type, types: [type], body: '"a \\u00e9"', bytes: '"a \\u00e9"' }));

const UNSENDABLE_FORMS = {
  'an object within': '{"a":{"b":1}}',
  'a list within a list': '{"a":[[1]]}',
  'an object in a list': '{"a":["x",{"b":1}]}',
  'a list': '["a","b"]',
  'a number': '1',
  'a boolean': 'true',
  'null within': '{"a":null}',
  'half of a surrogate pair': String.raw`"\ud800"`,
  'half of a surrogate pair in a member': String.raw`{"a":"\udc00x"}`,
};
const UNSENDABLE_TEXTS = {
  'an object': '{"a":1}',
  'an empty object': '{}',
  'a list': '["a"]',
  'a number': '1.0',
  'a boolean': 'false',
  'half of a surrogate pair': String.raw`"x\ud83d"`,
};

const refusedUnder = (
  types: readonly string[],
  bodies: Readonly<Record<string, string>>,
): TypedBody[] => Object.entries(bodies).map(([name, body]) => ({ name, types, body }));

export const UNSENDABLE: readonly TypedBody[] = [
  ...refusedUnder(FORMS, UNSENDABLE_FORMS),
  ...refusedUnder(RAW_TYPES, UNSENDABLE_TEXTS),
];
