import type { StepResult } from '@gatehouse/example-gateway';

export interface Line {
  readonly step: string;
  readonly decision: string;
  readonly rule: string;
  readonly why: string;
  readonly outcome: string;
  readonly attempts: string;
  readonly ms: string;
}

export function toLine(result: StepResult): Line {
  const deciding = result.rules.find(
    ({ outcome }) => outcome === result.decision && outcome !== 'allow',
  );
  return {
    step: result.id,
    decision: result.decision ?? '',
    rule: deciding?.rule ?? '',
    why: deciding === undefined ? '' : `${deciding.rule}: ${deciding.detail}`,
    outcome: outcomeText(result),
    attempts: String(result.outcome?.attempts ?? ''),
    ms: result.state === 'not_reached' ? '' : String(result.duration_ms),
  };
}

function outcomeText({ state, outcome, problem, message }: StepResult): string {
  switch (state) {
    case 'executed':
      return outcome?.outcome === 'success' ? `success ${outcome.status}` : failureText(outcome);
    case 'refused':
      return `refused: ${problem?.code}`;
    case 'failed':
      return `failed: ${message}`;
    default:
      return state.replace('_', ' ');
  }
}

function failureText(
  failure: (StepResult['outcome'] & { outcome: 'failure' }) | undefined,
): string {
  return failure?.error === 'HttpFailure'
    ? `HttpFailure ${failure.status}`
    : String(failure?.error);
}

/** Lists the differences between a line and the expected line, with one sentence for each. */
export function differences(line: Line, expected: Partial<Line>): string[] {
  return (Object.keys(expected) as (keyof Line)[])
    .filter((member) => line[member] !== expected[member])
    .map(
      (member) =>
        `${line.step}: ${member} is \`${line[member]}\`, expected \`${expected[member]}\``,
    );
}
