import type { PassedOn } from './inspect.ts';
import { JsonText } from './json-text.ts';

/**
 * Parses a JSON document, but leaves values that `inspectJson` has found as text, except `null`,
 * `true` and `false`, so that they keep all digits.
 */
export function parseMembers(document: Buffer, passedOn: readonly PassedOn[]): unknown {
  const kept = passedOn.filter(
    ({ start }) => !WORD.test(String.fromCharCode(document[start] ?? 0)),
  );
  let text = '';
  let at = 0;
  for (const { start, end } of kept) {
    text += `${document.toString('utf8', at, start)}null`;
    at = end;
  }
  const value: unknown = JSON.parse(text + document.toString('utf8', at));
  for (const { pointer, start, end } of kept) {
    const steps = pointer.slice(1).split('/').map(unescapeStep);
    const name = String(steps.pop());
    const parent = steps.reduce((each, step) => Reflect.get(Object(each), step), value);
    Reflect.set(Object(parent), name, new JsonText(document.toString('utf8', start, end)));
  }
  return value;
}

const WORD = /[tfn]/;

const unescapeStep = (step: string) => step.replaceAll('~1', '/').replaceAll('~0', '~');
