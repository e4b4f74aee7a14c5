import { nameAt } from './open-names.ts';
import { JsonScanner, Token } from './scanner.ts';

/** The JSON Pointer (RFC 6901) to the value or name at this index. @throws {RangeError} if none. */
export function pointerAt(bytes: Buffer, position: number): string {
  const [found] = pointersAt(bytes, [position]);
  if (found === undefined) throw new RangeError(`neither value nor name begins at ${position}`);
  return found;
}

/** The same for several ascending indices, in one pass; a pointer ends once it has `enough`. */
export function pointersAt(
  bytes: Buffer,
  positions: readonly number[],
  enough = Number.POSITIVE_INFINITY,
): string[] {
  const scanner = new JsonScanner(bytes);
  const pointers: string[] = [];
  const path: Path = { names: [], items: [], told: [''] };
  for (let token = scanner.next(); token !== Token.End; token = scanner.next()) {
    const depth = follow(scanner, token, path);
    if (depth === undefined) continue;
    if (path.told.length > depth) path.told.length = Math.max(1, depth);
    if (scanner.start !== positions[pointers.length]) continue;
    pointers.push(pointer(bytes, path, depth, enough));
    if (pointers.length === positions.length) break;
  }
  return pointers;
}

/** By depth, where the name of the current member starts, or the index of the item. */
interface Path {
  readonly names: number[];
  readonly items: number[];
  /** Pointers to what is open, as far as they were asked for. */
  readonly told: string[];
}

/** Follows a token; the depth of the member or item that it begins, if it does. */
function follow(scanner: JsonScanner, token: Token, { names, items }: Path): number | undefined {
  const { start, depth } = scanner;
  if (token === Token.EndObject || token === Token.EndArray) return undefined;
  if (token === Token.Key) {
    names[depth] = start;
    return depth;
  }
  const opens = token === Token.BeginObject || token === Token.BeginArray;
  const holder = opens ? depth - 1 : depth;
  if (names[holder] === NO_NAME) items[holder] = (items[holder] ?? BEFORE_FIRST) + 1;
  if (opens) {
    names[depth] = NO_NAME;
    items[depth] = BEFORE_FIRST;
  }
  return holder;
}

const NO_NAME = -1;
const BEFORE_FIRST = -1;

function pointer(bytes: Buffer, { names, items, told }: Path, depth: number, enough: number) {
  for (let at = told.length; at <= depth; at++) {
    const before = told[at - 1] ?? '';
    const name = names[at] ?? NO_NAME;
    const member = name === NO_NAME ? String(items[at]) : nameAt(bytes, name);
    const text = `${before}/${member.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    told.push(before.length < enough ? text : before);
  }
  return told[depth] ?? '';
}
