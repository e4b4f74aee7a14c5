import { KEYWORDS, typeOf } from './keywords.ts';
import type { Node } from './schema-tree.ts';

/** A shorter keyword is near too many words of others. */
const MIN_LENGTH = 4;
const FOREIGN: ReadonlySet<string> = new Set(['href', 'when']);
const TYPES: ReadonlySet<unknown> = new Set(
  'object array string number integer boolean null'.split(' '),
);

/**
 * The keyword that an unknown member was probably meant to be: one letter away, not there
 * itself, and with a value that it could have.
 */
export function meantKeyword(name: string, node: Node): string | undefined {
  if (KEYWORDS.has(name) || FOREIGN.has(name)) return undefined;
  for (const keyword of KEYWORDS.keys()) {
    if (keyword.length < MIN_LENGTH || !isNear(name, keyword)) continue;
    if (!Object.hasOwn(node, keyword) && couldBe(keyword, node[name])) return keyword;
  }
  return undefined;
}

function couldBe(keyword: string, value: unknown): boolean {
  if (keyword === 'type') return [value].flat().every((each) => TYPES.has(each));
  return KEYWORDS.get(keyword)?.types.split(' ').includes(typeOf(value)) === true;
}

/** At most one letter too many, too few, wrong, or in the other's place. */
function isNear(written: string, meant: string): boolean {
  if (Math.abs(written.length - meant.length) > 1) return false;
  if (written.toLowerCase() === meant.toLowerCase()) return true;
  let at = 0;
  while (at < meant.length && written[at] === meant[at]) at += 1;
  const [one, other] = [written.slice(at), meant.slice(at)];
  return (
    one.slice(1) === other ||
    one === other.slice(1) ||
    one.slice(1) === other.slice(1) ||
    (one[0] === other[1] && one[1] === other[0] && one.slice(2) === other.slice(2))
  );
}
