import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { evaluatePolicy } from '../src/index.ts';
import { CONNECTOR_CASES } from './support/cases.ts';
import { CONNECTOR_FORMS } from './support/connector-forms.ts';
import { expectAnswers } from './support/in-process.ts';

describe('connector_scope', () => {
  it('gives every form of the section the outcome that stands beside it', () => {
    for (const { name, connector, outcome } of CONNECTOR_FORMS) {
      const { rules } = evaluatePolicy(connector === undefined ? {} : { connector });
      expect(rules[3]?.outcome ?? 'absent', name).toBe(outcome);
    }
  });

  it('is answered word for word', () => {
    expectAnswers(CONNECTOR_CASES);
  });
});

describe('connector_scope, asked again', () => {
  it('answers as at first, however many other scopes are asked for meanwhile', () => {
    const scopes = [
      ...CONNECTOR_FORMS.map(({ connector }) => connector?.scope ?? ''),
      'x'.repeat(129),
    ];
    const asked = [...scopes, ...Array.from({ length: 600 }, (_, n) => `mcp://n${n}`)];
    const answers = () => asked.map((scope) => evaluatePolicy({ connector: { scope } }).rules[3]);
    const first = answers();
    expect(answers()).toEqual(first);
    for (const [place, answer] of first.slice(scopes.length).entries())
      expect(answer?.detail).toBe(`Scope mcp://n${place} is not a listed one and needs consent.`);
  });
});

describe('connector_scope, asked for ever new scopes', () => {
  it('keeps few of them in memory', () => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    const heapMiB = () => {
      collect();
      return process.memoryUsage().heapUsed / 2 ** 20;
    };
    const before = heapMiB();
    const ask = (scopes: number, length: number) => {
      for (let n = 0; n < scopes; n++)
        evaluatePolicy({ connector: { scope: `${n}`.padStart(length, 'x') } });
    };
    ask(20_000, 100);
    ask(300, 60_000);
    expect(heapMiB() - before).toBeLessThan(4);
  });
});

describe('connector_scope, the detail', () => {
  it.each([
    ['128 characters whole', 'x'.repeat(128), 'x'.repeat(128)],
    ['129 characters cut', 'x'.repeat(129), `${'x'.repeat(128)}…`],
    ['129 with blanks around 128 whole', ` ${'x'.repeat(128)}`, 'x'.repeat(128)],
    ['a cut through a character', `${'x'.repeat(127)}😀`, `${'x'.repeat(127)}\ufffd…`],
    ['half a character', 'mcp://x\ud83d', 'mcp://x\ufffd'],
  ])('shows %s', (_name, scope, shown) => {
    expect(evaluatePolicy({ connector: { scope } }).rules[3]?.detail).toBe(
      `Scope ${shown} is not a listed one and needs consent.`,
    );
  });
});
