import { CURRENCY_FORMAT, type Violation } from '@gatehouse/contracts';
import { inspectJson, JsonFault, type JsonFindings, nameAt } from '@gatehouse/json-text';
import { findCurrency } from '@gatehouse/policy-engine';
import { type Checked, compileCheck } from '@gatehouse/validation';
import type { Static, TSchema } from '@sinclair/typebox';

/** As the executor service takes by default. */
const MAX_BYTES = 1024 * 1024;

/** Objects of more would hold up other callers; so the services have it, too. */
const MAX_MEMBERS = 10_000;
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
  const document = Buffer.from(textOf(given));
  if (document.length > MAX_BYTES) return `must have at most ${MAX_BYTES} bytes as JSON`;
  const findings = inspected(document);
  if (findings === undefined) return `must nest at most ${MAX_DEPTH} levels deep`;
  const { prototypeKey, count, members } = findings;
  if (prototypeKey) return 'must not have `__proto__` or `constructor.prototype` keys';
  const unread = members.filter(({ nameStart }) => PASSED_ON.has(nameAt(document, nameStart)));
  if (unread.reduce((rest, member) => rest - member.count, count) > MAX_MEMBERS)
    return `must have at most ${MAX_MEMBERS} members, apart from those in \`body\``;
  return undefined;
}

/** So deep that it overflows the stack: deeper than is allowed. */
const TOO_DEEP = '['.repeat(MAX_DEPTH + 1);

function textOf(given: unknown): string {
  try {
    return JSON.stringify(given);
  } catch {
    return TOO_DEEP;
  }
}

function inspected(document: Buffer): JsonFindings | undefined {
  try {
    return inspectJson(document, MAX_DEPTH);
  } catch (error) {
    if (error instanceof JsonFault) return undefined;
    throw error;
  }
}
