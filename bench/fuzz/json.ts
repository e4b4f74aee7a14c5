import type { Random } from './random.ts';

/** JSON as text: values have no repeated members, digits or escapes. */

const BLANKS = ['', '', '', '', ' ', '\n', '\t', '\r\n  '];
const NUMBERS = [
  ...['0', '-0', '1', '-1', '0.1', '1e5', '1E+5', '1e-7', '1.0', '1e400', '-1e400', '1e-400'],
  ...['5e-324', '123e0', '9007199254740993', '1712345678123456789', '0.1234567890123456789'],
  ...['10000.0000000000001', '1e20', '1e21'],
];
const STRINGS = [
  ...['""', '"a"', '"id"', '"\\u0041"', '"\\u00e9"', '"é"', '"😀"', '"\\ud83d\\ude00"'],
  ...['"\\ud800"', '"\\udc00x"', '"\\n\\t\\r\\b\\f"', '"\\\\"', '"\\""', '"\\/"', '"/"'],
  ...['"<b>&amp;</b>"', '"%41%2541"', '"\\u0000"', '"\\u2028"', '"a, b: {c}"', '"[1]"', '"]"'],
  ...['"}"', '"REDACTED"', '"1e400"', '"null"', '" "', '"__proto__"', '"\u007f"'],
];
const KEYS = [
  ...['"a"', '"b"', '"id"', '"name"', '""', '"0"', '"1"', '"-1"', '"4294967295"', '"\\u0061"'],
  ...['"é"', '"a b"', '"a/b~c"', '"__proto__"', '"constructor"', '"prototype"', '"toString"'],
  ...['"length"', '"toJSON"', '"body"', '"outcome"', '"\\n"'],
];

const blank = (random: Random) => random.pick(BLANKS);

function number(random: Random): string {
  if (random.chance(0.5)) return random.pick(NUMBERS);
  const digits = random.times(1 + random.small(40), () => random.below(10)).join('');
  const whole = String(BigInt(digits));
  const sign = random.chance(0.2) ? '-' : '';
  const fraction = random.chance(0.4)
    ? `.${random.times(1 + random.small(30), () => random.below(10)).join('')}`
    : '';
  const exponent = random.chance(0.2)
    ? `${random.pick(['e', 'E', 'e+', 'e-'])}${random.below(500)}`
    : '';
  return `${sign}${whole}${fraction}${exponent}`;
}

function string(random: Random): string {
  if (random.chance(0.7)) return random.pick(STRINGS);
  return JSON.stringify(word(random));
}

/** A word of letters, and of what is special somewhere. */
export function word(random: Random): string {
  const alphabet = random.pick([
    ...['abc', 'abcdefghijklmnopqrstuvwxyz0123456789-_', 'aé😀\u2028\u0001"\\/%&<', '01'],
    '{}[]:,"',
  ]);
  const letters = [...alphabet];
  return random.times(random.small(60), () => random.pick(letters)).join('');
}

/** A valid JSON text, a scalar at depth 0; without `repeats`, no member is there twice. */
export function jsonText(random: Random, depth = random.small(9), repeats = true): string {
  const kind = depth <= 0 ? random.below(4) : random.below(8);
  if (kind === 0) return number(random);
  if (kind === 1) return string(random);
  if (kind === 2) return random.pick(['true', 'false', 'null']);
  if (kind === 3) return random.pick(['{}', '[]', '{ }', '[ ]', '1', '""']);
  const values = random.times(random.small(8), () => {
    return `${blank(random)}${jsonText(random, depth - 1, repeats)}${blank(random)}`;
  });
  if (kind < 6) return `[${values.join(',')}]`;
  const key = () => (random.chance(0.8) ? random.pick(KEYS) : JSON.stringify(word(random)));
  const keys = repeats
    ? values.map(key)
    : [...new Set(values.map(key))].filter((each) => !SEEN_TWICE.has(each));
  return `{${keys.map((each, n) => `${blank(random)}${each}${blank(random)}:${values[n]}`).join(',')}}`;
}

/** Other spellings of keys, and those that requests may not have. */
const SEEN_TWICE = new Set(['"\\u0061"', '"__proto__"', '"constructor"']);

/** Seldom one that is large, or deep, or both. */
export function largeJsonText(random: Random, bytes: number): string {
  const item = jsonText(random, 2);
  const times = Math.max(1, Math.floor(bytes / (item.length + 1)));
  if (random.chance(0.3))
    return `${'['.repeat(random.small(times))}${item}${']'.repeat(random.small(times))}`;
  const items = random.times(Math.min(times, 2), () => jsonText(random, 2));
  if (random.chance(0.5)) return `[${`${item},`.repeat(times)}${items.join(',')}]`;
  return `{${random.times(Math.min(times, 20_000), (n) => `"k${n}":${item}`).join(',')}}`;
}

const TOKENS = [
  ...['"', '\\', '{', '}', '[', ']', ':', ',', '0', '-', '.', 'e', 'null', '""', '"a":1,'],
  ...['\u0000', '\u001f', '\ufeff', '\\u', '\\ud800', '1e999', '0x1', '01', '+1', '.5', 'NaN'],
  ...['Infinity', "'", '/*', '//', '\u00a0', '\ud800', 'é'],
];

/** A text that is nearly this one. */
export function mutate(random: Random, text: string): string {
  let mutated = text;
  for (let left = 1 + random.small(4); left > 0; left--) {
    const at = random.below(mutated.length + 1);
    const to = Math.min(mutated.length, at + random.small(30));
    const change = random.below(6);
    const part = mutated.slice(at, to);
    if (change === 0) mutated = mutated.slice(0, at) + mutated.slice(to);
    else if (change === 1) mutated = mutated.slice(0, at) + part + mutated.slice(at);
    else if (change === 2) mutated = mutated.slice(0, at) + random.pick(TOKENS) + mutated.slice(to);
    else if (change === 3) mutated = mutated.slice(0, at) + random.pick(TOKENS) + mutated.slice(at);
    else if (change === 4)
      mutated = mutated.slice(0, at) + part.repeat(random.small(300)) + mutated.slice(to);
    else if (random.chance(0.3)) mutated = mutated.slice(0, at);
  }
  return mutated;
}
