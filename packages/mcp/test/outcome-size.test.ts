import { expect, it } from 'vitest';
import { fitting } from '../src/tools/outcome-size.ts';

const MIB = 1024 * 1024;
const outcomeOf = (body: unknown) => ({
  ...{ outcome: 'success' as const, status: 200, headers: {}, body, attempts: 1, history: [] },
});

it('what fits into a result stays as it is; what does not is a failure that says so', () => {
  // Each backslash is two in JSON, and four in text that holds JSON.
  for (const body of [{ id: 7 }, 'x'.repeat(3 * MIB), '\\'.repeat(MIB), '€'.repeat(MIB)])
    expect(fitting(outcomeOf(body))).toEqual(outcomeOf(body));
  for (const body of ['x'.repeat(5 * MIB), '\\'.repeat(2 * MIB), '€'.repeat(2 * MIB)])
    expect(fitting(outcomeOf(body))).toMatchObject({ error: 'ResponseTooLarge', status: 200 });
});
