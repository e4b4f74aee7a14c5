import type { StepResult } from '@gatehouse/example-gateway';

/** One line of the table, as text. */
export interface Line {
  readonly step: string;
  readonly decision: string;
  /** The rule that decided; empty when none stood in the way. */
  readonly rule: string;
  /** What that rule says. */
  readonly why: string;
  readonly outcome: string;
  readonly attempts: string;
  readonly ms: string;
}

/** The result of a step, in words. */
export function lineOf(result: StepResult): Line {
  const deciding = result.rules.find(
    ({ outcome }) => outcome === result.decision && outcome !== 'allow',
  );
  return {
    step: result.id,
    decision: result.decision ?? '',
    rule: deciding?.rule ?? '',
    why: deciding === undefined ? '' : `${deciding.rule}: ${deciding.detail}`,
    outcome: outcomeOf(result),
    attempts: String(result.outcome?.attempts ?? ''),
    ms: result.state === 'not_reached' ? '' : String(result.duration_ms),
  };
}

function outcomeOf({ state, outcome, problem, message }: StepResult): string {
  switch (state) {
    case 'executed':
      return outcome?.outcome === 'success' ? `success ${outcome.status}` : failureOf(outcome);
    case 'refused':
      return `refused: ${problem?.code}`;
    case 'failed':
      return `failed: ${message}`;
    default:
      return state.replace('_', ' ');
  }
}

function failureOf(failure: (StepResult['outcome'] & { outcome: 'failure' }) | undefined): string {
  return failure?.error === 'HttpFailure'
    ? `HttpFailure ${failure.status}`
    : String(failure?.error);
}

/** Where a line differs from what is expected, one sentence each. */
export function differences(line: Line, expected: Partial<Line>): string[] {
  return (Object.keys(expected) as (keyof Line)[])
    .filter((member) => line[member] !== expected[member])
    .map(
      (member) =>
        `${line.step}: ${member} is \`${line[member]}\`, expected \`${expected[member]}\``,
    );
}
