import { checkPolicy, compileProfile, type Profile } from '@gatehouse/policy-engine';

/** @throws InvalidProfile, or Error unless nothing at all needs approval and a malformed request is refused. */
export function selfTest(profile: Profile): void {
  compileProfile(profile);
  const nothing = checkPolicy({}, profile);
  if (!nothing.ok || nothing.response.decision === 'allow')
    throw new Error('a request that states nothing was allowed');
  const { ceiling_major_units: ceiling, currencies } = profile.spend;
  const euros = currencies.EUR?.ceiling_minor_units ?? ceiling * 100;
  const tooMuch = { amount_minor_units: euros + 1, currency: 'EUR' };
  const denied = checkPolicy({ spend: tooMuch }, profile);
  if (!denied.ok || denied.response.decision !== 'deny')
    throw new Error('spending above the ceiling was not denied');
  const malformed = checkPolicy({ spend: { amount_minor_units: 1 } }, profile);
  if (malformed.ok) throw new Error('a malformed request was judged');
}
