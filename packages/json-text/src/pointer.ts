import { JsonScanner, Token } from './scanner.ts';

/** The JSON Pointer (RFC 6901) to the value, or to the member whose name, begins at this index of a valid JSON text. */
export function pointerAt(text: string, position: number): string {
  const scanner = new JsonScanner(text);
  /** By depth, the name of the member or the index of the item that is being read there. */
  const path: (string | number)[] = [];
  for (let token = scanner.next(); token !== Token.End; token = scanner.next()) {
    if (token === Token.EndObject || token === Token.EndArray) continue;
    if (token === Token.Key) {
      path[scanner.depth] = JSON.parse(text.slice(scanner.start, scanner.end));
      if (scanner.start === position) return pointer(path, scanner.depth);
      continue;
    }
    const opens = token === Token.BeginObject || token === Token.BeginArray;
    const holder = opens ? scanner.depth - 1 : scanner.depth;
    const index = path[holder];
    if (typeof index === 'number') path[holder] = index + 1;
    if (scanner.start === position) return pointer(path, holder);
    if (opens) path[scanner.depth] = BEFORE_FIRST;
  }
  throw new RangeError(`neither value nor name begins at ${position}`);
}

/** Items of an array count up from here; names of members take its place. */
const BEFORE_FIRST = -1;

function pointer(path: readonly (string | number)[], depth: number): string {
  const tokens = path.slice(1, depth + 1).map((member) => String(member).replaceAll('~', '~0').replaceAll('/', '~1'));
  return tokens.map((token) => `/${token}`).join('');
}
