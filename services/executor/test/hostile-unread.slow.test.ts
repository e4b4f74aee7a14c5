import { describe, it } from 'vitest';
import { PATIENT_ATTACKS } from '../../../bench/hostile/catalogue.ts';
import { type Bounds, examine, setStage } from '../../../bench/hostile/examine.ts';

const BOUNDS: Bounds = { delayMs: 250, slackMib: 96 };
const PATIENCE_MS = 90_000;

// contract: "Callers that do not read their answer are cut off."
describe('callers that do not read', { concurrent: true }, () => {
  it.for(PATIENT_ATTACKS)('$name', { timeout: PATIENCE_MS }, async (attack, { expect }) => {
    await using stage = await setStage(attack);
    const { broken } = await examine(attack, stage, BOUNDS);
    expect(broken.join('\n')).toBe('');
  });
});
