import { type Explained, GatehouseError, type PolicyClient } from '@gatehouse/client';
import { summarizeViolations } from '@gatehouse/contracts';
import { evaluate, type Profile, readCheck, toExplanation, toResponse } from '@gatehouse/policy';

export type Policy = Pick<PolicyClient, 'explain' | 'close'>;

export function localPolicy(profile: Profile): Policy {
  return {
    explain: async (check): Promise<Explained> => {
      const read = readCheck(check);
      if (!read.ok) throw new GatehouseError(summarizeViolations(read.violations));

      const evaluation = evaluate(read.value, profile);
      return { ...toResponse(evaluation), explanation: toExplanation(evaluation) };
    },
    close: async () => {},
  };
}
