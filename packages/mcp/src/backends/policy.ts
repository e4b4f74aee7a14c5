import type { Explained, PolicyClient } from '@gatehouse/client';
import { evaluate, type Profile, toExplanation, toResponse } from '@gatehouse/policy';

export type Policy = Pick<PolicyClient, 'explain' | 'close'>;

export function localPolicy(profile: Profile): Policy {
  return {
    explain: async (check): Promise<Explained> => {
      const evaluation = evaluate(check, profile);
      return { ...toResponse(evaluation), explanation: toExplanation(evaluation) };
    },
    close: async () => {},
  };
}
