import { checkPolicy, type Profile } from '@gatehouse/policy-engine';

/**
 * Throws unless a request above the ceiling of the live profile is denied, and one
 * without a currency refused.
 */
export function selfTest(profile: Profile): void {
  const tooMuch = (profile.spend.ceilingMajorUnits + 1) * 100;
  const denied = checkPolicy({ spend: { amount_minor_units: tooMuch, currency: 'EUR' } }, profile);
  if (!denied.ok || denied.response.decision !== 'deny')
    throw new Error('spending above the ceiling was not denied');
  const malformed = checkPolicy({ spend: { amount_minor_units: tooMuch } }, profile);
  if (malformed.ok) throw new Error('a malformed request was judged');
}
