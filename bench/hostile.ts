import { attacksLike } from './hostile/catalogue.ts';
import { type Bounds, examine, setStage } from './hostile/examine.ts';
import { printFinding, printHeading } from './hostile/report.ts';
import { HEAP_MB, ROOT } from './hostile/service.ts';

/**
 * Attacks the services, each time a process started anew with a small heap, and says how they stood it. `ONLY` is a
 * pattern of names (`ONLY='#4$'`: finding 4 of the review); `HOSTILE_ROOT` attacks the services of another checkout.
 */
const BOUNDS: Bounds = { delayMs: 50, slackMib: 64 };

console.error(`attacking the services of ${ROOT} with a heap of ${HEAP_MB} MB`);
printHeading();
let broken = 0;
let died = 0;
const chosen = attacksLike(process.env.ONLY);
for (const attack of chosen) {
  await using stage = await setStage(attack);
  const finding = await examine(attack, stage, BOUNDS);
  printFinding(finding);
  if (finding.broken.length > 0) broken += 1;
  if (!finding.survived) died += 1;
}
console.error(`${chosen.length} attacks: ${died} ended the process, ${broken} broke a bound`);
if (broken > 0) process.exitCode = 1;
