import { JsonScanner, Token } from './scanner.ts';

/** The JSON Pointer (RFC 6901) to the value, or to the member whose name, begins at this index of a valid JSON text. */
export function pointerAt(text: string, position: number): string {
  const [found] = pointersAt(text, [position]);
  if (found === undefined) throw new RangeError(`neither value nor name begins at ${position}`);
  return found;
}

/** The same for several ascending indices, in one pass. */
export function pointersAt(text: string, positions: readonly number[]): string[] {
  const scanner = new JsonScanner(text);
  const pointers: string[] = [];
  /** By depth, the name of the member as it is written, or the index of the item that is being read there. */
  const path: (string | number)[] = [];
  for (let token = scanner.next(); token !== Token.End; token = scanner.next()) {
    const depth = follow(scanner, token, path);
    if (depth === undefined || scanner.start !== positions[pointers.length]) continue;
    pointers.push(pointer(path, depth));
    if (pointers.length === positions.length) break;
  }
  return pointers;
}

/** Brings the path up to a token; the depth at which the token is a member or an item, if it begins one. */
function follow({ text, start, end, depth }: JsonScanner, token: Token, path: (string | number)[]): number | undefined {
  if (token === Token.EndObject || token === Token.EndArray) return undefined;
  if (token === Token.Key) {
    path[depth] = text.slice(start, end);
    return depth;
  }
  const opens = token === Token.BeginObject || token === Token.BeginArray;
  const holder = opens ? depth - 1 : depth;
  const index = path[holder];
  if (typeof index === 'number') path[holder] = index + 1;
  if (opens) path[depth] = BEFORE_FIRST;
  return holder;
}

/** Items of an array count up from here; names of members take its place. */
const BEFORE_FIRST = -1;

function pointer(path: readonly (string | number)[], depth: number): string {
  const members = path.slice(1, depth + 1).map((member) => (typeof member === 'string' ? JSON.parse(member) : member));
  const tokens = members.map((member) => String(member).replaceAll('~', '~0').replaceAll('/', '~1'));
  return tokens.map((token) => `/${token}`).join('');
}
