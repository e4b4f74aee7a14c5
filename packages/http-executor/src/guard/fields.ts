import { failure, type Result, success } from '@gatehouse/contracts';

/** Selection by a mask: everything in a value, or some of its members. */
export type Selection = Fields | 'all';

/** A parsed mask by member name. */
type Tree = Map<string, Tree | 'all'>;

/** Selects every member, in addition to what the member's own name selects. */
const ANY = '*';

/**
 * Members that a mask selects. INVARIANT: selections of several names are joined only on demand.
 * Joining all of them in advance would take exponential time, as for `*(a,*(a,*(a)))`.
 */
export class Fields {
  readonly #trees: readonly Tree[];
  readonly #names: ReadonlySet<string>;
  readonly #known = new Map<string, Selection | undefined>();

  constructor(trees: readonly Tree[]) {
    this.#trees = trees;
    this.#names = new Set(trees.flatMap((tree) => [...tree.keys()]));
  }

  select(name: string): Selection | undefined {
    const key = this.#names.has(name) ? name : ANY;
    if (!this.#known.has(key)) this.#known.set(key, this.#join(key));
    return this.#known.get(key);
  }

  #join(name: string): Selection | undefined {
    const names = name === ANY ? [ANY] : [name, ANY];
    const found = this.#trees.flatMap((tree) => names.flatMap((each) => tree.get(each) ?? []));
    const trees = found.filter((each) => each !== 'all');
    if (trees.length < found.length) return 'all';
    return trees.length === 0 ? undefined : new Fields(trees);
  }
}

const MAX_CHARS = 4_096;
const MAX_LEVELS = 32;

/** A reason completes the sentence "`fields` …". */
const FORM =
  'must name members, as in `items(id,owner/login),next`, without spaces around the names';

class MalformedMask extends Error {}

/** Parses `fields` (docs/contract.md, "Answers for models"). */
export function parseFields(text: string): Result<Fields> {
  if (text.length > MAX_CHARS) return failure(`must have at most ${MAX_CHARS} characters`);
  const parser = new Parser(text);
  const tree: Tree = new Map();
  try {
    parser.list(tree, 1);
    return parser.isAtEnd ? success(new Fields([tree])) : failure(FORM);
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

  /** Parses one or more parts, separated by commas, and adds them to a tree. */
  list(tree: Tree, level: number): void {
    do this.#part(tree, level);
    while (this.#accept(','));
  }

  /** Parses `name`, `name/part` or `name(list)`. */
  #part(tree: Tree, level: number): void {
    if (level > MAX_LEVELS) throw new MalformedMask(`must have at most ${MAX_LEVELS} levels`);

    const name = this.#tokens[this.#at] ?? '';
    if (/^(?:[,()/]|\s.*|.*\s|)$/s.test(name)) throw new MalformedMask(FORM);

    this.#at += 1;
    const known = tree.get(name);
    const inner: Tree = known instanceof Map ? known : new Map();
    const isNested = this.#accept('/');
    if (isNested) this.#part(inner, level + 1);
    else if (this.#accept('(')) {
      this.list(inner, level + 1);
      if (!this.#accept(')')) throw new MalformedMask(FORM);
    } else {
      tree.set(name, 'all');
      return;
    }
    if (known !== 'all') tree.set(name, inner);
  }

  #accept(token: string): boolean {
    const isNext = this.#tokens[this.#at] === token;
    if (isNext) this.#at += 1;
    return isNext;
  }
}
