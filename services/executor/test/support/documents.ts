/**
 * JSON as text: what differs between two spellings of the same value is the point of most
 * of these.
 */
export interface JsonDocument {
  readonly name: string;
  readonly text: string;
}

const named = (table: Readonly<Record<string, string>>): JsonDocument[] =>
  Object.entries(table).map(([name, text]) => ({ name, text }));

const raw = String.raw;
const ZEROS_308 = '0'.repeat(308);

export const NUMBERS = named({
  'a nanosecond timestamp of InfluxDB': '{"time":1712345678123456789}',
  'nanoseconds in a list':
    '[[1712345678123456789,0.64],[1712345678123456790,0.65],[1712345678123456791,1]]',
  '2^53-1, 2^53, 2^53+1': '[9007199254740991,9007199254740992,9007199254740993]',
  'the same, negative': '[-9007199254740991,-9007199254740992,-9007199254740993]',
  'the largest of 64 bits':
    '{"u64":18446744073709551615,"i64":9223372036854775807,"min":-9223372036854775808}',
  'a decimal of 30 digits': '3.14159265358979323846264338328',
  'digits behind a double':
    '[0.1,0.30000000000000004,0.1000000000000000055511151231257827,0.2999999999999999889]',
  '1.0 and 1': '[1.0,1,1.00,1.50,100.00,0.10]',
  zeros: '[0,-0,0.0,-0.0,0e0,0E-5,-0e+7,0.000]',
  exponents: '[1E5,1e5,1e+05,1e05,1E-05,1.5E+3,1e0,12.5e-10,1E00]',
  'the edges of doubles':
    '[1.7976931348623157e308,2.2250738585072014e-308,4.9e-324,-1.7976931348623157E+308]',
  'much money':
    '{"amount":123456789012345678901234567890.12,"fee":0.005,"total":10000.0000000000001}',
  'an integer of 309 digits': `1${ZEROS_308}`,
  'a decimal of 1,000 digits': `0.${'1234567890'.repeat(100)}`,
  'Wei and gas':
    '{"value":1000000000000000000,"gasPrice":20000000000,"supply":120000000000000000000000001}',
  'satoshis as decimals': '{"amount":0.00000001,"fee":-0.00001000,"balance":20999999.97690000}',
  'a number that is a member name too':
    '{"1712345678123456789":1712345678123456789,"1.0":1.0,"1e2":1e2}',
  'ids of Twitter':
    '{"id":1050118621198921728,"id_str":"1050118621198921728","in_reply_to":1050118621198921729}',
});

/** A double turns these into 0; no rule says what a schema sees. */
export const TINY = named({
  '1e-400': '1e-400',
  'tiny ones in a list': '[1e-400,-1E-999,0.0e-9999]',
});

/** No double holds these: passed on, but a schema fails them. */
export const BEYOND_DOUBLES = named({
  '1e400': '1e400',
  '-1E+999 within': '[{"a":-1E+999}]',
  '280 nines and e99': `{"n":${'9'.repeat(280)}e99}`,
  'an integer of 310 digits': `[1${ZEROS_308}0]`,
  'just above the largest double': '{"max":1.7976931348623159e308}',
});

/** Passed on from an upstream; a schema fails them, and an action may not hold them. */
export const REPEATED = named({
  'a repeated member': '{"a":1,"a":2}',
  'a repeated member of the same value': '{"a":1,"a":1}',
  'a repeated member, deep': '{"rows":[{"id":1,"tags":{"x":1,"y":2,"x":3}}]}',
  'a repeated member, once with an escape': raw`{"a":1,"\u0061":2}`,
  'a member three times, others between': '{"k":1,"b":0,"k":{"k":2},"c":0,"k":[3]}',
  'an empty name, repeated': '{"":1,"":2}',
  '__proto__, repeated': '{"__proto__":1,"__proto__":{"x":2}}',
});

/** Passed on from an upstream, whatever the schema; an action may not hold them. */
export const PROTOTYPES = named({
  __proto__: '{"__proto__":{"admin":true},"a":1}',
  '__proto__ within': '[{"x":{"__proto__":null}}]',
  '__proto__ with an escape': raw`{"\u005f_proto__":[]}`,
  'constructor.prototype': '{"constructor":{"prototype":{"x":1}}}',
});

export const NAMES = named({
  'names like those of Object':
    '{"constructor":1,"toString":2,"hasOwnProperty":3,"valueOf":{"length":0},"prototype":4}',
  'an empty name': '{"":{"":[{"":0}]}}',
  'names like numbers in odd order':
    '{"2":"b","1":"a","10":"c","01":"d","-1":"e","1.5":"f","0":"g"}',
  'names like large numbers': '{"4294967295":1,"4294967294":2,"b":3,"7":4,"a":5,"3":6}',
  'names that differ in case': '{"Id":1,"id":2,"ID":3,"iD":4}',
  'names that differ in their normal form': '{"é":1,"e\u0301":2}',
  'names in other scripts': '{"ключ":1,"キー":2,"🔑":3,"مفتاح":4}',
  'names with escapes': raw`{"a\u0062c":1,"tab\there":2,"q\"uote":3,"back\\slash":4,"sl\/ash":5,"\u0000":6}`,
  'names that look like an outcome':
    '{"outcome":"failure","body":{"body":[]},"attempts":9,"history":[{}],"headers":{}}',
  'a name of 10,000 characters': `{"${'n'.repeat(10_000)}":1}`,
});

export const STRINGS = named({
  'escapes in lower and upper case': raw`["\u00e9","\u00E9","é","\u00fC"]`,
  'short escapes': raw`["\b\f\n\r\t\"\\\/","\u0008\u000c\u000a\u000d\u0009\u0022\u005c\u002f"]`,
  'slashes with and without escape': raw`{"url":"https:\/\/example.com\/a","plain":"https://example.com/a"}`,
  'control characters': raw`["\u0000","\u0001\u001f","a\u0000b"]`,
  'halves of a surrogate pair': raw`["\ud800","\udc00","\udc00\ud800","x\uD83Dy","\uDBFF"]`,
  'a surrogate pair, escaped and raw': raw`["\ud83d\ude00","\uD83D\uDE00","😀"]`,
  'U+2028 and U+2029, raw and escaped': raw`["${'\u2028\u2029'}","\u2028\u2029"]`,
  'a byte order mark within': raw`["${'\ufeff'}x","\ufeffx"]`,
  'DEL, U+FFFD and no characters': `["\u007f","\ufffd","\uffff","\u{10ffff}","\u0080\u009f"]`,
  'marks of HTML': raw`{"html":"<script>alert('x') && 1</script>","esc":"\u003cb\u003e \u0026amp;"}`,
  'many scripts':
    '["Zażółć gęślą jaźń","日本語テキスト","עברית","हिन्दी","👩‍👩‍👧‍👦","e\u0301","\u200f\u200d"]',
  'JSON within JSON': raw`{"log":"{\"a\":\"b\\\"c\",\"n\":1.0}","deep":"\"{\\\"x\\\":\\\"\\\\\\\"\\\"}\""}`,
  'strings like other tokens': '["null","true","1.0","{}","[1,2]","NaN","","  "," a "]',
  'percent, form and HTML escapes':
    '["%41%2f%2F%252F+","a=b&c=%20d","&amp;&#65;&#x41;&quot;","~0~1"]',
  'base64 of many kinds': '["aGVsbG8gd29ybGQ=","-_-_","QUJDREVGR0g","/+/+/+/+","YQ=="]',
  'a string of 20,000 escapes': `"${raw`\u0041\n\"`.repeat(20_000)}"`,
  'a string of 100,000 characters': JSON.stringify('long é '.repeat(15_000)),
});

export const LAYOUTS = named({
  'blanks around': ' \n\t {"a":1} \r\n\t ',
  'blanks between all tokens': '{ "a" : [ 1 , 2.0 , { } , [ ] ] , "b" : { "c" : null } }',
  'tabs and CRLF': '{\r\n\t"a":\t1.0,\r\n\t"b":\t[\r\n\t\t1E2\r\n\t]\r\n}\r\n',
  'pretty, two blanks': JSON.stringify({ a: [1, { b: null }], c: 'd' }, null, 2),
  'as Python writes': '{"a": 1.0, "b": [1, 2, 3], "c": {"d": "\\u00e9", "e": 1e-05}}',
  'as PHP writes': raw`{"url":"https:\/\/example.org\/caf\u00e9","price":10.0}`,
  'as Go writes': raw`{"html":"\u003ca href=\"x\"\u003e\u0026","f":1e+06}`,
  'as .NET writes': raw`{"name":"O\u0027Neill \u002B \u0022Co\u0022","amount":100.00,"big":1E+20}`,
  'as Java writes': '{"amount":1E+3,"scale":1.0E-4,"id":9223372036854775807}',
  'a wall of blanks': `[${' '.repeat(5_000)}1,${'\n'.repeat(5_000)}2]`,
  'no blanks at all': '{"a":[1,2,{"b":[]}],"c":{"d":{}}}',
});

const nested = (levels: number, open: string, close: string, inmost = '') =>
  open.repeat(levels) + inmost + close.repeat(levels);

export const MAX_DEPTH = 256;
export const arrays = (levels: number) => nested(levels, '[', ']');
export const objects = (levels: number) => nested(levels, '{"a":', '}', '1.0');

export const SHAPES = named({
  'an empty array': '[]',
  'an empty object': '{}',
  'empty ones with blanks': '[ { } , [ ] , [ [ ] ] ]',
  false: 'false',
  true: 'true',
  zero: '0',
  'an empty string': '""',
  'a string': '"text"',
  'nulls in a list': `[${Array(2_000).fill('null').join()}]`,
  '256 lists, one in the other': arrays(MAX_DEPTH),
  '256 objects, one in the other': objects(MAX_DEPTH),
  '256 of both': nested(MAX_DEPTH / 2, '[{"k":', '}]', '-0'),
  'a wide object': `{${Array.from({ length: 3_000 }, (_, n) => `"k${(n * 7919) % 3_000}":${n}.0`).join()}}`,
  'mixed kinds': '[0,"0",false,null,{},[],"",1e0,[null],{"null":null}]',
});

/** What an answer may be and an action's body, where `null` means none, may not. */
export const NULL = named({ null: 'null' });
