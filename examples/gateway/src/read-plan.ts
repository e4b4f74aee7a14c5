import { isUtf8 } from 'node:buffer';
import { CURRENCY_FORMAT } from '@gatehouse/contracts';
import { inspectJson } from '@gatehouse/json-text';
import { CURRENCY_CODES } from '@gatehouse/policy-engine';
import { compileCheck } from '@gatehouse/validation';
import { Plan } from './plan.ts';
import { invalid, ProblemError } from './problem.ts';

/** Far more than any plan has; objects of more would hold up other callers. */
const MAX_MEMBERS = 10_000;

/**
 * JSON that every reader takes for the same, so that what the policy judges is what is sent:
 * no member twice, no number that a double does not hold.
 * @throws {ProblemError}
 */
export function readJson(bytes: Buffer): unknown {
  try {
    const { repeatedMember, prototypeKey, inexactNumbers, count } = inspectJson(bytes);
    const plain = repeatedMember === undefined && !prototypeKey && inexactNumbers.length === 0;
    if (plain && count <= MAX_MEMBERS && isUtf8(bytes)) return JSON.parse(bytes.toString());
  } catch (error) {
    throw new ProblemError(400, `Send one JSON document: ${(error as Error).message}.`);
  }
  throw new ProblemError(
    400,
    `Send JSON in UTF-8 with at most ${MAX_MEMBERS} members, none twice in an object, and numbers of more digits than a double holds as strings.`,
  );
}

const currencies = new Set(CURRENCY_CODES);
const checkSchema = compileCheck(Plan, {
  [CURRENCY_FORMAT]: (code) => currencies.has(code.toUpperCase()),
});

/** What the schema says, and that ids are unique. @throws {ProblemError} with all violations. */
export function readPlan(value: unknown): Plan {
  const checked = checkSchema(value);
  if (!checked.ok) throw invalid(checked.violations);
  const ids = checked.value.steps.map(({ id }) => id);
  const repeated = ids.flatMap((id, index) => {
    const first = ids.indexOf(id);
    if (first === index) return [];
    return [{ pointer: `/steps/${index}/id`, message: `must differ from \`/steps/${first}/id\`` }];
  });
  if (repeated.length > 0) throw invalid(repeated);
  return checked.value;
}
