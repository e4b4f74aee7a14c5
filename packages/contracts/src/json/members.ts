import type { JsonFindings } from './inspect.ts';
import { JsonText } from './json-text.ts';

/**
 * Parses a JSON object whose members `inspectJson` has found. Leaves the values of the members in
 * `passedOn` unparsed, except `null`, `true` and `false`, so that they keep all digits.
 */
export function parseMembers(
  document: Buffer,
  members: JsonFindings['members'],
  passedOn: ReadonlySet<string>,
): unknown {
  if (!members.some(({ name }) => passedOn.has(name))) return JSON.parse(document.toString());
  const entries = members.map(({ name, start, end }) => {
    const text = document.toString('utf8', start, end);
    const isPassedOn = passedOn.has(name) && !/^[tfn]/.test(text);
    return [name, isPassedOn ? new JsonText(text) : JSON.parse(text)];
  });
  return Object.fromEntries(entries);
}
