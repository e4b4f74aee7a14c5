import type { FastifyInstance } from 'fastify';
import { ProblemError } from './problem.ts';

const SHOWN_LENGTH = 100;
const BYTE_ORDER_MARK = 0xfeff;

/**
 * Bodies are JSON without `__proto__` and `constructor.prototype` keys, and without repeated ones: of two members of
 * the same name parsers keep one or the other, so that a guardrail could be dropped in silence (contract, section 1).
 */
export function parseJsonStrictly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (_request, body, done) => {
    try {
      done(null, parseStrictly(body));
    } catch (error) {
      done(error as Error);
    }
  });
}

/** Throws a `MalformedJson` problem that says what is wrong, and where, without showing values. */
function parseStrictly(text: string): unknown {
  if (text === '') throw new ProblemError('MalformedJson', 'Send a JSON document as the body; it was empty.');
  const value = parse(text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text);
  const keys = countKeys(value);
  if (keys === FORBIDDEN) {
    throw new ProblemError('MalformedJson', 'Send a document without `__proto__` or `constructor.prototype` keys.');
  }
  if (keys === keysInText(text)) return value;
  // A key that is repeated is in the text twice, and in the value once.
  const shown = repeatedKey(text).slice(0, SHOWN_LENGTH);
  throw new ProblemError('MalformedJson', `Send each member of an object once; \`${shown}\` is there twice.`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const [position] = /at position \d+(?: \(line \d+ column \d+\))?/.exec((error as Error).message) ?? [];
    const where = position ?? 'at its end';
    throw new ProblemError('MalformedJson', `Send one valid JSON document; this one breaks off ${where}.`);
  }
}

const FORBIDDEN = -1;

/** How many members the objects in a value have; without recursion, since nobody has limited its depth yet. */
function countKeys(value: unknown): number | typeof FORBIDDEN {
  let keys = 0;
  const pending = [value];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (!isObject(node)) continue;
    if (reachesForPrototype(node)) return FORBIDDEN;
    const members = Object.values(node);
    if (!Array.isArray(node)) keys += members.length;
    for (const member of members) if (isObject(member)) pending.push(member);
  }
  return keys;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

function reachesForPrototype(node: Record<string, unknown>): boolean {
  if (Object.hasOwn(node, '__proto__')) return true;
  if (!Object.hasOwn(node, 'constructor')) return false;
  const member: unknown = node.constructor;
  return isObject(member) && Object.hasOwn(member, 'prototype');
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

/** The strings and brackets of a JSON text; a string with the colon behind it is a key. */
const TOKENS = /"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?|[{}[\]]/g;

function repeatedKey(text: string): string {
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
  return '';
}
