import { type Explained, type PolicyClient, ProblemError } from '@gatehouse/client';
import { problemDocument, summarizeViolations } from '@gatehouse/contracts';
import { evaluate, type Profile, readCheck, toExplanation, toResponse } from '@gatehouse/policy';

export type Policy = Pick<PolicyClient, 'explain' | 'close'>;

export function localPolicy(profile: Profile): Policy {
  return {
    explain: async (check, { requestId = '' } = {}): Promise<Explained> => {
      const read = readCheck(check);
      if (!read.ok) {
        const { violations } = read;
        const details = { detail: summarizeViolations(violations), violations, requestId };
        throw new ProblemError('policy', problemDocument('InvalidRequest', details));
      }

      const evaluation = evaluate(read.value, profile);
      return { ...toResponse(evaluation), explanation: toExplanation(evaluation) };
    },
    close: async () => {},
  };
}
