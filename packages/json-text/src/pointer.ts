import { nameAt } from './open-names.ts';
import { JsonScanner, Token } from './scanner.ts';

/**
 * The JSON Pointer (RFC 6901) to what begins at this index of a valid JSON text: a value,
 * or the name of a member.
 * @throws {RangeError} where nothing begins.
 */
export function pointerAt(bytes: Buffer, position: number): string {
  const [found] = pointersAt(bytes, [position]);
  if (found === undefined) throw new RangeError(`neither value nor name begins at ${position}`);
  return found;
}

/** The same for several ascending indices, in one pass. */
export function pointersAt(bytes: Buffer, positions: readonly number[]): string[] {
  const scanner = new JsonScanner(bytes);
  const pointers: string[] = [];
  const path: Path = { names: [], items: [] };
  for (let token = scanner.next(); token !== Token.End; token = scanner.next()) {
    const depth = follow(scanner, token, path);
    if (depth === undefined || scanner.start !== positions[pointers.length]) continue;
    pointers.push(pointer(bytes, path, depth));
    if (pointers.length === positions.length) break;
  }
  return pointers;
}

/** By depth, where the name of the current member starts, or the index of the item. */
interface Path {
  readonly names: number[];
  readonly items: number[];
}

/** Follows a token; the depth of the member or item that it begins, if it does. */
function follow(
  { start, depth }: JsonScanner,
  token: Token,
  { names, items }: Path,
): number | undefined {
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

function pointer(bytes: Buffer, { names, items }: Path, depth: number): string {
  const members = names
    .slice(1, depth + 1)
    .map((name, at) => (name === NO_NAME ? items[at + 1] : nameAt(bytes, name)));
  const tokens = members.map((member) =>
    String(member).replaceAll('~', '~0').replaceAll('/', '~1'),
  );
  return tokens.map((token) => `/${token}`).join('');
}
