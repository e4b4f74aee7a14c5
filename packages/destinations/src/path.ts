/** Matches path parts that two servers may read differently, such as `//`, `;`, `..` and `%2f`. */
const AMBIGUOUS =
  /%(?:2f|5c|2e|25|3b|[01][\da-f]|7f|c2%[89]|c[01]%[89ab]|e0%[89]|f0%8|(?![\da-f]{2}))|\\|\/\/|;|(?:^|\/)\.\.?(?:\/|$)/i;

export const isAmbiguousPath = (path: string): boolean => AMBIGUOUS.test(path);

/** Decodes percent-encoded unreserved characters, such as `%41` (RFC 3986, section 6.2.2.2). */
export function normalizePath(path: string): string {
  return path.replace(/%[\da-f]{2}/gi, (escaped) => {
    const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : escaped.toUpperCase();
  });
}

export interface PathPattern {
  /** The pattern's path segments, each split at its asterisks: `a*b` becomes `['a', 'b']`. */
  readonly segments: readonly (readonly string[])[];
  /** True if the pattern's last segment is `**`. `segments` omits this segment. */
  readonly anyRest: boolean;
}

/** Parses a path pattern. @throws {Error} with a message such as "must begin with `/`" */
export function parsePath(text: string): PathPattern {
  if (!text.startsWith('/')) throw new Error('must begin with `/`');
  if (/[?#\s\p{Cc}]/u.test(text)) throw new Error('must not contain `?`, `#` or spaces');
  if (isAmbiguousPath(text))
    throw new Error(
      'must not contain `//`, `;`, backslashes, dot segments, or their percent-encoded forms',
    );
  const anyRest = text.endsWith('/**');
  const path = anyRest ? text.slice(0, -'/**'.length) : text;
  if (path.includes('**')) throw new Error('may contain `**` only as its last segment');
  const written = path === '' ? '' : normalizePath(new URL(`http://host${path}`).pathname);
  return { segments: written.split('/').map((each) => each.split('*')), anyRest };
}

interface Child<T> {
  readonly literals: readonly string[];
  readonly tree: PathTree<T>;
}

/** Maps path patterns to values in a tree of segments, which is fast even for many patterns. */
export class PathTree<T> {
  /** Subtrees for segments that contain no `*`, keyed by the segment. */
  readonly #literals = new Map<string, Child<T>>();
  readonly #globs = new Map<string, Child<T>>();
  readonly #values: T[] = [];
  readonly #valuesOfRest: T[] = [];

  add({ segments, anyRest }: PathPattern, value: T): void {
    let tree: PathTree<T> = this;
    for (const literals of segments) tree = tree.#child(literals);
    (anyRest ? tree.#valuesOfRest : tree.#values).push(value);
  }

  #child(literals: readonly string[]): PathTree<T> {
    const children = literals.length === 1 ? this.#literals : this.#globs;
    const segment = literals.join('*');
    const child = children.get(segment) ?? { literals, tree: new PathTree<T>() };
    children.set(segment, child);
    return child.tree;
  }

  /** Adds to `found` the values of all patterns that match the segments of a normalized path. */
  find(segments: readonly string[], found: T[], at = 0): void {
    const segment = segments[at];
    if (segment === undefined) {
      for (const value of this.#values) found.push(value);
      return;
    }
    const hasRest = segment !== '' || at < segments.length - 1;
    if (hasRest) for (const value of this.#valuesOfRest) found.push(value);
    this.#literals.get(segment)?.tree.find(segments, found, at + 1);
    for (const { literals, tree } of this.#globs.values())
      if (segmentMatches(literals, segment)) tree.find(segments, found, at + 1);
  }
}

/** True if `text` matches a segment such as `a*b`, where `*` is at least one character. */
function segmentMatches(literals: readonly string[], text: string): boolean {
  const first = literals[0] ?? '';
  const last = literals.at(-1) ?? '';
  if (literals.length === 1) return text === first;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const literal of literals.slice(1, -1)) {
    const found = text.indexOf(literal, at + 1);
    if (found === -1) return false;
    at = found + literal.length;
  }
  return text.length - last.length > at;
}

/** Returns an example of a path that matches the pattern, as a list of segments. */
export function examplePath({ segments, anyRest }: PathPattern): readonly string[] {
  return [...segments.map((literals) => literals.join('x')), ...(anyRest ? ['x'] : [])];
}
