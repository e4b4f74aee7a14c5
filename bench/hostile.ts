import type { Attack } from './hostile/attack.ts';
import { attacksLike } from './hostile/catalogue.ts';
import { type Bounds, examine, type Finding, setStage } from './hostile/examine.ts';
import { printFinding, printHeading } from './hostile/report.ts';
import { HEAP_MB } from './hostile/service.ts';
import { ROOT } from './support/subject.ts';

/**
 * Attacks the services, each time a process started anew with a small heap, and says how
 * they stood it. `ONLY` is a pattern of names (`ONLY='#4$'`: finding 4 of the review);
 * `CHECKOUT` attacks the services of another checkout.
 */
const BOUNDS: Bounds = { delayMs: 50, slackMib: 64 };

/** A delay that is too long is measured again: other work of the machine only adds to it. */
const TRIES = 3;

async function examineAnew(attack: Attack): Promise<Finding> {
  await using stage = await setStage(attack);
  return await examine(attack, stage, BOUNDS);
}

async function leastDelayed(attack: Attack): Promise<Finding> {
  let least = await examineAnew(attack);
  for (let left = TRIES - 1; left > 0 && least.survived && least.late; left--) {
    const again = await examineAnew(attack);
    if (!again.survived || again.heldMs < least.heldMs) least = again;
  }
  return least;
}

console.error(`attacking the services of ${ROOT} with a heap of ${HEAP_MB} MB`);
printHeading();
let broken = 0;
let died = 0;
const chosen = attacksLike(process.env.ONLY);
for (const attack of chosen) {
  const finding = await leastDelayed(attack);
  printFinding(finding);
  if (finding.broken.length > 0) broken += 1;
  if (!finding.survived) died += 1;
}
console.error(`${chosen.length} attacks: ${died} ended the process, ${broken} broke a bound`);
if (broken > 0) process.exitCode = 1;
