import { CURRENCY_FORMAT, type Violation } from '@gatehouse/contracts';
import { inspectJson, JsonFault, type JsonFindings, nameAt } from '@gatehouse/json-text';
import { findCurrency } from '@gatehouse/policy-engine';
import { type Checked, compileCheck } from '@gatehouse/validation';
import type { Static, TSchema } from '@sinclair/typebox';

/** What a model writes; reading more would hold up other callers. */
const MAX_BYTES = 256 * 1024;

/** As the policy service takes. */
const MAX_FACTS_BYTES = 64 * 1024;
const MAX_DEPTH = 1_000;

/** Members that the executor judges. */
const PASSED_ON: ReadonlySet<string> = new Set(['body', 'response_schema']);

const FORMATS = { [CURRENCY_FORMAT]: (code: string) => findCurrency(code) !== undefined };

/** Reads the arguments of a tool as strictly as the services read a body. */
export function argumentsReader<T extends TSchema>(
  schema: T,
): (given: unknown) => Checked<Static<T>> {
  const check = compileCheck(schema, FORMATS);
  return (given) => {
    const message = unreadable(given);
    return message === undefined
      ? check(given)
      : { ok: false, violations: [{ pointer: '', message } satisfies Violation] };
  };
}

function unreadable(given: unknown): string | undefined {
  try {
    const document = Buffer.from(JSON.stringify(given));
    if (document.length > MAX_BYTES) return `must have at most ${MAX_BYTES} bytes as JSON`;
    return refusedArguments(document, inspectJson(document, { maxDepth: MAX_DEPTH }));
  } catch (error) {
    // What overflows the stack is deeper, too.
    if (error instanceof JsonFault || error instanceof RangeError)
      return `must nest at most ${MAX_DEPTH} levels deep`;
    throw error;
  }
}

function refusedArguments(
  document: Buffer,
  { prototypeKey, members }: JsonFindings,
): string | undefined {
  if (prototypeKey) return 'must not have `__proto__` or `constructor.prototype` keys';
  const unread = members.filter(({ nameStart }) => PASSED_ON.has(nameAt(document, nameStart)));
  const facts = unread.reduce((rest, { start, end }) => rest - (end - start), document.length);
  if (facts > MAX_FACTS_BYTES)
    return `must have at most ${MAX_FACTS_BYTES} bytes, apart from \`body\` and \`response_schema\``;
  return undefined;
}
