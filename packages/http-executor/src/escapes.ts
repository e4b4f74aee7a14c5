/** A text with its escapes of one kind undone, and where in the original each of its positions is. */
export interface Reading {
  readonly text: string;
  readonly origin: (position: number) => number;
}

/** One way in which programs escape characters. */
interface Escape {
  /** Without this character there is nothing to undo. */
  readonly mark: string;
  readonly token: RegExp;
  /** What a token stands for: one UTF-16 unit. */
  readonly meaning: (token: RegExpExecArray) => string;
  /** A token that was cut off. */
  readonly unfinished: RegExp;
}

/** The longest token that may be cut off. */
const MAX_UNFINISHED = 10;

const CONTROLS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const ofHex = (digits: string) => String.fromCharCode(Number.parseInt(digits, 16));

const ESCAPES: readonly Escape[] = [
  {
    mark: '%',
    token: /%([\da-f]{2})/gi,
    meaning: ([, octet = '']) => ofHex(octet),
    unfinished: /%[\da-f]?$/i,
  },
  {
    mark: '\\',
    token: /\\(?:u([\da-f]{4})|x([\da-f]{2})|([\s\S]))/gi,
    meaning: ([, unit, octet, plain = '']) =>
      unit !== undefined || octet !== undefined ? ofHex(unit ?? octet ?? '') : (CONTROLS[plain] ?? plain),
    unfinished: /\\(?:u[\da-f]{0,3}|x[\da-f]?)?$/i,
  },
  {
    mark: '&',
    token: /&(?:#0*(\d{1,5})|#x0*([\da-f]{1,4})|(amp|lt|gt|quot|apos));/gi,
    meaning: ([, decimal, digits, name = '']) => {
      if (decimal !== undefined) return String.fromCharCode(Number(decimal));
      return digits === undefined ? (ENTITIES[name.toLowerCase()] ?? '') : ofHex(digits);
    },
    unfinished: /&(?:#\d*|#x[\da-f]*|[a-z]{0,4})$/i,
  },
  {
    // JSON Pointers, in which the names of members appear.
    mark: '~',
    token: /~([01])/g,
    meaning: ([, digit]) => (digit === '0' ? '~' : '/'),
    unfinished: /~$/,
  },
];

/** The text as each kind of escape that occurs in it has it. */
export function readings(text: string): Reading[] {
  return ESCAPES.filter(({ mark }) => text.includes(mark)).flatMap((kind) => twice(undo(text, kind), kind));
}

/** The same for a text that was cut off, perhaps in the midst of an escape, which goes then. */
export function readingsOfCut(text: string): Reading[] {
  return ESCAPES.filter(({ mark }) => text.includes(mark)).flatMap((kind) => {
    const end = kind.unfinished.exec(text.slice(-MAX_UNFINISHED))?.[0].length ?? 0;
    return twice(undo(text.slice(0, text.length - end), kind), kind);
  });
}

/** Text such as JSON within JSON is escaped once more. */
function twice(once: Reading, kind: Escape): Reading[] {
  if (!once.text.includes(kind.mark)) return [once];
  const again = undo(once.text, kind);
  return [once, { text: again.text, origin: (at) => once.origin(again.origin(at)) }];
}

function undo(text: string, { token, meaning }: Escape): Reading {
  /** The position behind each character that was escaped, and how much longer the original is up to there. */
  const behind: number[] = [];
  const longer: number[] = [];
  let undone = '';
  let position = 0;
  for (const match of text.matchAll(token)) {
    undone += text.slice(position, match.index) + meaning(match);
    position = match.index + match[0].length;
    behind.push(undone.length);
    longer.push(position - undone.length);
  }
  return {
    text: undone + text.slice(position),
    origin: (at) => at + (longer[countUpTo(behind, at) - 1] ?? 0),
  };
}

/** How many of these ascending numbers are at most the limit. */
function countUpTo(ascending: readonly number[], limit: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
