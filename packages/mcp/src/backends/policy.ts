import type { Explained, PolicyClient } from '@gatehouse/client';
import { evaluatePolicy, explainPolicy, type Profile } from '@gatehouse/policy-engine';

/** A policy service, or the engine in this process. */
export type Policy = Pick<PolicyClient, 'explain' | 'close'>;

/** The engine in this process. */
export function localPolicy(profile: Profile): Policy {
  return {
    explain: async (check): Promise<Explained> => ({
      ...evaluatePolicy(check, profile),
      explanation: explainPolicy(check, profile),
    }),
    close: async () => {},
  };
}
