import { failure, type Result, success } from '../result.ts';

/** Selected members by name. `all` selects a member with everything in it. */
export type Fields = ReadonlyMap<string, Selection>;
export type Selection = Fields | 'all';

/** Selects every member, in addition to what the member's own name selects. */
export const ANY = '*';

const MAX_CHARS = 4_096;
const MAX_LEVELS = 32;

/** A reason completes the sentence "`fields` …". */
const FORM =
  'must name members, as in `items(id,owner/login),next`, without spaces around the names';

class MalformedMask extends Error {}

/** Parses `fields` (docs/contract.md, "fields"). */
export function parseFields(text: string): Result<Fields> {
  if (text.length > MAX_CHARS) return failure(`must have at most ${MAX_CHARS} characters`);
  const parser = new Parser(text);
  try {
    const fields = parser.list(1);
    return parser.isAtEnd ? success(withAny(fields)) : failure(FORM);
  } catch (error) {
    if (error instanceof MalformedMask) return failure(error.message);
    throw error;
  }
}

class Parser {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = text.match(/[,()/]|[^,()/]+/g) ?? [];
  }

  get isAtEnd(): boolean {
    return this.#at === this.#tokens.length;
  }

  /** Parses one or more parts, separated by commas. */
  list(level: number): Fields {
    let fields = this.#part(level);
    while (this.#accept(',')) fields = union(fields, this.#part(level));
    return fields;
  }

  /** Parses `name`, `name/part` or `name(list)`. */
  #part(level: number): Fields {
    if (level > MAX_LEVELS) throw new MalformedMask(`must have at most ${MAX_LEVELS} levels`);
    const name = this.#tokens[this.#at] ?? '';
    if (/^(?:[,()/]|\s.*|.*\s|)$/s.test(name)) throw new MalformedMask(FORM);
    this.#at += 1;
    if (this.#accept('/')) return new Map([[name, this.#part(level + 1)]]);
    if (!this.#accept('(')) return new Map([[name, 'all']]);

    const inner = this.list(level + 1);
    if (!this.#accept(')')) throw new MalformedMask(FORM);
    return new Map([[name, inner]]);
  }

  #accept(token: string): boolean {
    const isNext = this.#tokens[this.#at] === token;
    if (isNext) this.#at += 1;
    return isNext;
  }
}

function union(one: Fields, other: Fields): Fields {
  const both = new Map(one);
  for (const [name, selection] of other) {
    const known = both.get(name) ?? selection;
    both.set(name, known === 'all' || selection === 'all' ? 'all' : union(known, selection));
  }
  return both;
}

/** Adds what `*` selects to the selections of all other names. */
function withAny(fields: Fields): Fields {
  const any = fields.get(ANY) ?? new Map();
  const entries = [...fields].map(([name, selection]): [string, Selection] => {
    if (selection === 'all' || any === 'all') return [name, 'all'];
    return [name, withAny(union(selection, any))];
  });
  return new Map(entries);
}
