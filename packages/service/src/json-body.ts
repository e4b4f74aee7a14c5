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
      const repeated = error ? undefined : repeatedKey(body);
      if (repeated === undefined) return done(error, value);
      const shown = repeated.slice(0, SHOWN_LENGTH);
      done(new ProblemError('MalformedJson', `Send each member of an object once; \`${shown}\` is there twice.`));
    });
  });
}

/** The strings and brackets of a JSON text; a string with the colon behind it is a key. */
const TOKENS = /"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?|[{}[\]]/g;

/** A key that an object of this valid JSON text holds twice, if any. */
function repeatedKey(text: string): string | undefined {
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
