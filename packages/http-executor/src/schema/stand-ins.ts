import {
  compareMagnitudes,
  isExactNumber,
  isWholeNumber,
  SURELY_EXACT_CHARS,
} from '@gatehouse/json-text';

/** What in a schema could take a number for the double next to it. */
export interface NumericWords {
  readonly asksForIntegers: boolean;
  /** Without their signs. */
  readonly constants: ReadonlySet<number>;
  readonly hasMultiples: boolean;
  /** Integers may be no multiples of one, as of 3; all are of 0.01. */
  readonly hasIntegerMultiples: boolean;
  /** Whether a long number may mislead that has a fraction far from integers, or none. */
  readonly longFractionsMatter: boolean;
  readonly longIntegersMatter: boolean;
  readonly anyNumberMatters: boolean;
}

const INT64_END = 2 ** 63;
/** A bound beyond it may have been rounded itself: int64 ends at 9223372036854775807. */
const LARGEST_BOUND = 2 ** 53;

/** The words in a schema, given as JSON text. */
export function numericWords(text: string): NumericWords {
  const constants = new Set<number>(text.includes('"int64"') ? [INT64_END] : []);
  const factors: number[] = [];
  const isBound = /^(?:exclusive)?M(?:in|ax)imum$/i;
  JSON.parse(text, (name, value) => {
    if (typeof value !== 'number') return value;
    if (name === 'multipleOf') factors.push(value);
    else if (!isBound.test(name) || Math.abs(value) <= LARGEST_BOUND)
      constants.add(Math.abs(value));
    return value;
  });
  const asksForIntegers = /"int(?:eger|32|64)"/.test(text);
  const hasMultiples = factors.length > 0;
  const hasIntegerMultiples = factors.some((factor) => !Number.isInteger(1 / factor));
  const isAmong = (test: (each: number) => boolean) => [...constants].some(test);
  return {
    asksForIntegers,
    constants,
    hasMultiples,
    hasIntegerMultiples,
    longFractionsMatter: hasMultiples || isAmong((each) => !Number.isInteger(each)),
    longIntegersMatter: hasIntegerMultiples || isAmong((each) => each >= 10 ** SURELY_EXACT_CHARS),
    anyNumberMatters: asksForIntegers || hasMultiples || constants.size > 0,
  };
}

/** From here on, all doubles are integers. */
const ALL_INTEGERS = 2 ** 52;

/**
 * The double by which a schema has to judge a number of a body, where the one that it is read
 * as could mislead: its neighbour on the side of the digits. Undefined: as it is read.
 * Not finite: there is none.
 */
export function standInFor(written: string, words: NumericWords): number | undefined {
  const read = Number(written);
  if (!Number.isFinite(read)) return read;
  if (!mayMislead(written, read, words) || isExactNumber(written)) return undefined;
  const side = compareMagnitudes(written, digitsOf(read));
  if (side === 0) return undefined;
  const neighbourMisleads = words.hasIntegerMultiples || !isWholeNumber(written);
  if (neighbourMisleads && Math.abs(read) >= ALL_INTEGERS) return Number.NaN;
  const beside = neighbour(read, side);
  return words.constants.has(Math.abs(beside)) ? Number.NaN : beside;
}

/** JavaScript writes zeros for the last digits of a large integer. */
function digitsOf(read: number): string {
  return Number.isInteger(read) ? BigInt(read).toString() : String(read);
}

function mayMislead(written: string, read: number, words: NumericWords): boolean {
  if (words.constants.has(Math.abs(read)) || words.hasIntegerMultiples) return true;
  if (!words.hasMultiples && !(words.asksForIntegers && Number.isInteger(read))) return false;
  return !/^-?\d+$/.test(written);
}

const double = new Float64Array(1);
const bits = new BigInt64Array(double.buffer);

function neighbour(read: number, side: number): number {
  double[0] = read;
  bits[0] = (bits[0] as bigint) + (side > 0 ? 1n : -1n);
  return double[0];
}

/** Whether a long number in a text needs no stand-in; of most, no string is made to tell. */
export function isJudgedAsRead(
  text: Buffer,
  [start, end]: readonly [number, number],
  words: NumericWords,
): boolean {
  if (isHarmless(text, [start, end], words)) return true;
  return standInFor(text.toString('latin1', start, end), words) === undefined;
}

/** Integers of more digits may be larger than any double. */
const MAX_DIGITS = 308;

function isHarmless(
  text: Buffer,
  [start, end]: readonly [number, number],
  { longFractionsMatter, longIntegersMatter }: NumericWords,
): boolean {
  let dot = start;
  while (dot < end && isDigit(text[dot])) dot += 1;
  if (dot === end) return !longIntegersMatter && end - start <= MAX_DIGITS;
  if (text[dot] !== DOT || longFractionsMatter) return false;
  const first = text[dot + 1];
  let at = dot + 1;
  if (first === ZERO || first === NINE) while (text[at] === first) at += 1;
  if (at - start > SURELY_EXACT_CHARS) return false;
  while (at < end && isDigit(text[at])) at += 1;
  return at === end;
}

const isDigit = (code = 0) => code >= ZERO && code <= NINE;

const [DOT, ZERO, NINE] = [0x2e, 0x30, 0x39];
