import { failure, type Result, success } from '@gatehouse/contracts';
import { headerKey, type PlannedAction, UNCOVERED_HEADERS } from '@gatehouse/contracts/action';

/** Members of an action that the digest covers and that can hold an amount. */
const COVERED = ['body', 'headers', 'query'];

/**
 * Finds the value that a JSON Pointer (RFC 6901) names in an action. The reason for a failure
 * completes "`/body/amount` …". Refuses, in this order:
 * 1. a value that the digest does not cover, because the executor could get another one;
 * 2. a value in a body of bytes, which is sent decoded;
 * 3. a value in `query` if the URL has a query of its own, which could set the same parameter;
 * 4. a member beside one whose name differs only in case, or a header beside one whose name differs
 *    only in `-` and `_`, because servers may read either;
 * 5. a value that does not exist.
 */
export function resolvePointer(pointer: string, json: PlannedAction['json']): Result<unknown> {
  const steps = pointer.split('/').slice(1).map(unescapeStep);
  const reason = reasonToDistrust(steps, json);
  if (reason !== undefined) return failure(reason);

  const isHeader = steps[0] === 'headers';
  const fold = isHeader ? headerKey : foldCase;
  let value: unknown = json;
  for (const step of steps) {
    const names = typeof value === 'object' && value !== null ? Object.keys(value) : [];
    if (names.filter((each) => fold(each) === fold(step)).length > 1)
      return failure(isHeader ? SAME_HEADER : SAME_MEMBER);

    if (!names.includes(step)) return failure('is not in the action');

    value = Reflect.get(Object(value), step);
  }
  return success(value);
}

function reasonToDistrust(
  [member = '', name = '']: readonly string[],
  json: PlannedAction['json'],
): string | undefined {
  if (!COVERED.includes(member)) return 'does not begin with `/body`, `/headers` or `/query`';

  if (member === 'headers' && UNCOVERED_HEADERS.has(name.toLowerCase()))
    return 'is not what a rule can rely on';

  if (member === 'body' && json.body_type !== undefined)
    return 'is in a body that is sent as bytes';

  return member === 'query' && hasOwnQuery(String(json.url))
    ? 'cannot be relied on, because the URL has a query of its own'
    : undefined;
}

const SAME_MEMBER = 'leads through a member beside one whose name differs only in case';
const SAME_HEADER = 'leads to a header beside one whose name differs only in `-` and `_`';

const unescapeStep = (step: string) => step.replaceAll('~1', '/').replaceAll('~0', '~');

const hasOwnQuery = (url: string) => /^[^#]*\?/.test(url);

/** Folds letters such as `ſ` and the Kelvin sign too, because some servers do. */
const foldCase = (name: string) => name.toUpperCase().toLowerCase();
