import { JsonScanner, Token } from './scanner.ts';

/** The JSON Pointer (RFC 6901) to the value that begins at this index of a valid JSON text. */
export function pointerAt(text: string, position: number): string {
  const scanner = new JsonScanner(text);
  /** By depth, the name of the member or the index of the item that is being read there. */
  const path: (string | number)[] = [];
  for (let token = scanner.next(); token !== Token.End; token = scanner.next()) {
    if (token === Token.EndObject || token === Token.EndArray) continue;
    if (token === Token.Key) {
      path[scanner.depth] = JSON.parse(text.slice(scanner.start, scanner.end));
      continue;
    }
    const opens = token === Token.BeginObject || token === Token.BeginArray;
    const holder = opens ? scanner.depth - 1 : scanner.depth;
    const index = path[holder];
    if (typeof index === 'number') path[holder] = index + 1;
    if (scanner.start === position)
      return path
        .slice(1, holder + 1)
        .map(escaped)
        .join('');
    if (opens) path[scanner.depth] = BEFORE_FIRST;
  }
  throw new RangeError(`no value begins at ${position}`);
}

/** Items of an array count up from here; names of members take its place. */
const BEFORE_FIRST = -1;

function escaped(member: string | number): string {
  return `/${String(member).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
