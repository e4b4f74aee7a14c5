import { describe, expect, it } from 'vitest';
import { evaluate } from '../src/index.ts';
import { expectAnswers } from './support/answers.ts';
import { CONNECTOR_FORMS } from './support/connector-forms.ts';

describe('connector_scope', () => {
  it('decides every form of the section as the table says', () => {
    for (const { name, connector, outcome } of CONNECTOR_FORMS) {
      const { rules } = evaluate(connector === undefined ? {} : { connector });
      expect(rules[3]?.outcome ?? 'absent', name).toBe(outcome);
    }
  });

  it('gives the expected detail, word for word', () => {
    expectAnswers(CONNECTOR_FORMS.map(({ connector }) => (connector ? { connector } : {})));
  });

  it.each([
    ['128 characters whole', 'x'.repeat(128), 'x'.repeat(128)],
    ['129 characters cut', 'x'.repeat(129), `${'x'.repeat(128)}…`],
    ['129 with blanks around 128 whole', ` ${'x'.repeat(128)}`, 'x'.repeat(128)],
    ['a cut through a character', `${'x'.repeat(127)}😀`, `${'x'.repeat(127)}\ufffd…`],
    ['half a character', 'mcp://x\ud83d', 'mcp://x\ufffd'],
  ])('shows %s', (_name, scope, shown) => {
    expect(evaluate({ connector: { scope } }).rules[3]?.detail).toBe(
      `Scope ${shown} is not on any list in the profile, so it needs consent.`,
    );
  });
});
