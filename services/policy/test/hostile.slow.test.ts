import { afterAll, describe, expect, it } from 'vitest';
import { BRIEF_ATTACKS } from '../../../bench/hostile/catalogue.ts';
import { type Bounds, examine } from '../../../bench/hostile/examine.ts';
import { SharedStage } from '../../../bench/hostile/shared-stage.ts';

/**
 * Wider than the contract's, for machines that do other things too; `pnpm run
 * bench:hostile` holds to those.
 */
const BOUNDS: Bounds = { delayMs: 300, slackMib: 96 };

const attacks = BRIEF_ATTACKS.filter(({ service }) => service === 'policy');

// contract: "Bounds"; a process with a heap of 256 MB.
describe('a policy service under attack survives, answers within bounds, and answers others meanwhile', () => {
  const shared = new SharedStage();
  afterAll(() => shared[Symbol.asyncDispose]());

  it.each(attacks)('$name', async (attack) => {
    const { broken } = await examine(attack, await shared.for(attack), BOUNDS);
    expect(broken.join('\n')).toBe('');
  });
});
