import { failure, type Result, success } from '@gatehouse/contracts';
import { type PlannedAction, UNCOVERED_HEADERS } from '@gatehouse/contracts/action';

/** Members of an action that the digest covers and that can hold an amount. */
const COVERED = ['body', 'headers', 'query'];

/**
 * Finds the value that a JSON Pointer (RFC 6901) names in an action. The reason for a failure
 * completes "`/body/amount` …". Refuses, in this order:
 * 1. a value that the digest does not cover, because the executor could get another one;
 * 2. a value in a body of bytes, which is sent decoded;
 * 3. a value in `query` if the URL has a query of its own, which could set the same parameter;
 * 4. a member beside one whose name differs only in case, because servers may read either;
 * 5. a value that does not exist.
 */
export function resolvePointer(pointer: string, json: PlannedAction['json']): Result<unknown> {
  const steps = pointer.split('/').slice(1).map(unescapeStep);
  const [member = '', name = ''] = steps;
  const isUncovered = member === 'headers' && UNCOVERED_HEADERS.has(name.toLowerCase());
  if (!COVERED.includes(member) || isUncovered) return failure('is not what a rule can rely on');

  if (member === 'body' && json.body_type !== undefined)
    return failure('is in a body that is sent as bytes');

  if (member === 'query' && hasOwnQuery(String(json.url)))
    return failure('cannot be relied on, because the URL has a query of its own');

  let value: unknown = json;
  for (const step of steps) {
    const names = typeof value === 'object' && value !== null ? Object.keys(value) : [];
    if (names.filter((each) => foldCase(each) === foldCase(step)).length > 1)
      return failure('leads through a member beside one whose name differs only in case');

    if (!names.includes(step)) return failure('is not in the action');

    value = Reflect.get(Object(value), step);
  }
  return success(value);
}

const unescapeStep = (step: string) => step.replaceAll('~1', '/').replaceAll('~0', '~');

const hasOwnQuery = (url: string) => /^[^#]*\?/.test(url);

/** Folds letters such as `ſ` and the Kelvin sign too, because some servers do. */
const foldCase = (name: string) => name.toUpperCase().toLowerCase();
