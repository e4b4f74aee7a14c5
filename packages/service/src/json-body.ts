import type { FastifyInstance } from 'fastify';
import { ProblemError } from './problem.ts';

const SHOWN_LENGTH = 100;

/**
 * Bodies are JSON without `__proto__` and `constructor.prototype` keys, and without repeated ones: of two members of
 * the same name parsers keep one or the other, so that a guardrail could be dropped in silence (contract, section 1).
 */
export function parseJsonStrictly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    parse(request, body, (error, value) => {
      const repeated = error ? undefined : repeatedKey(body, value);
      if (repeated === undefined) return done(error, value);
      const shown = repeated.slice(0, SHOWN_LENGTH);
      done(new ProblemError('MalformedJson', `Send each member of an object once; \`${shown}\` is there twice.`));
    });
  });
}

/** A key that an object of this valid JSON text holds twice, if any: then there are more keys in the text than in its value. */
function repeatedKey(text: string, value: unknown): string | undefined {
  return keysInText(text) === keysInValue(value) ? undefined : findRepeatedKey(text);
}

const QUOTE = '"';

/** How many strings of a valid JSON text have a colon behind them. */
function keysInText(text: string): number {
  let keys = 0;
  for (let open = text.indexOf(QUOTE); open !== -1; ) {
    let close = text.indexOf(QUOTE, open + 1);
    while (isEscaped(text, close)) close = text.indexOf(QUOTE, close + 1);
    let next = close + 1;
    while (text.charCodeAt(next) <= SPACE) next += 1;
    if (text.charCodeAt(next) === COLON) keys += 1;
    open = text.indexOf(QUOTE, next);
  }
  return keys;
}

const SPACE = 0x20;
const COLON = 0x3a;
const BACKSLASH = 0x5c;

/** Whether an odd number of backslashes stands before this position. */
function isEscaped(text: string, position: number): boolean {
  let first = position;
  while (text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
  return (position - first) % 2 === 1;
}

/** How many members the objects in a value have; without recursion, since nobody has limited its depth yet. */
function keysInValue(value: unknown): number {
  let keys = 0;
  const pending = [value];
  while (pending.length > 0) {
    const node = pending.pop();
    if (typeof node !== 'object' || node === null) continue;
    const members = Object.values(node);
    if (!Array.isArray(node)) keys += members.length;
    for (const member of members) if (typeof member === 'object') pending.push(member);
  }
  return keys;
}

/** The strings and brackets of a JSON text; a string with the colon behind it is a key. */
const TOKENS = /"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?|[{}[\]]/g;

function findRepeatedKey(text: string): string | undefined {
  /** The keys of the objects around the current position, innermost last. */
  const around: Set<string>[] = [];
  for (const [token, written = '', colon] of text.matchAll(TOKENS)) {
    if (token === '{' || token === '[') around.push(new Set());
    else if (token === '}' || token === ']') around.pop();
    else if (colon !== undefined) {
      const key: string = written.includes('\\') ? JSON.parse(`"${written}"`) : written;
      const keys = around.at(-1);
      if (keys?.has(key)) return key;
      keys?.add(key);
    }
  }
  return undefined;
}
