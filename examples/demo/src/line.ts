import type { StepResult } from '@gatehouse/example-gateway';

export type Line = Readonly<ReturnType<typeof toLine>>;

export function toLine(result: StepResult) {
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
      if (outcome?.outcome === 'success') return `success ${outcome.status}`;

      if (outcome?.error === 'HttpFailure') return `HttpFailure ${outcome.status}`;

      return String(outcome?.error);
    case 'refused':
      return `refused: ${problem?.code}`;
    case 'failed':
      return `failed: ${message}`;
    default:
      return state.replace('_', ' ');
  }
}

/** Lists the columns in which a table row differs from the expected row. */
export function differences(line: Line, expected: Partial<Line>): string[] {
  return (Object.keys(expected) as (keyof Line)[])
    .filter((member) => line[member] !== expected[member])
    .map(
      (member) =>
        `${line.step}: ${member} is \`${line[member]}\`, expected \`${expected[member]}\``,
    );
}
