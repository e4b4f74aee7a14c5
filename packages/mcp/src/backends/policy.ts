import type { Explained, PolicyClient } from '@gatehouse/client';
import { evaluate, type Profile, toExplanation, toResponse } from '@gatehouse/policy-engine';

/** A policy service, or the engine in this process. */
export type Policy = Pick<PolicyClient, 'explain' | 'close'>;

/** The engine in this process. */
export function localPolicy(profile: Profile): Policy {
  return {
    explain: async (check): Promise<Explained> => {
      const evaluation = evaluate(check, profile);
      return { ...toResponse(evaluation), explanation: toExplanation(evaluation) };
    },
    close: async () => {},
  };
}
