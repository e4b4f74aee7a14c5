import { checkPolicy, compileProfile, type Profile } from '@gatehouse/policy-engine';

/** @throws InvalidProfile, or Error unless an amount above the ceiling is denied and a malformed one refused. */
export function selfTest(profile: Profile): void {
  compileProfile(profile);
  const tooMuch = (profile.spend.ceilingMajorUnits + 1) * 100;
  const denied = checkPolicy({ spend: { amount_minor_units: tooMuch, currency: 'EUR' } }, profile);
  if (!denied.ok || denied.response.decision !== 'deny')
    throw new Error('spending above the ceiling was not denied');
  const malformed = checkPolicy({ spend: { amount_minor_units: tooMuch } }, profile);
  if (malformed.ok) throw new Error('a malformed request was judged');
}
