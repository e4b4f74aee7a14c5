import type { Attack } from './attack.ts';
import { connections } from './attacks/connections.ts';
import { credentials } from './attacks/credentials.ts';
import { encodings } from './attacks/encodings.ts';
import { framing } from './attacks/framing.ts';
import { judgements } from './attacks/judgements.ts';
import { policy } from './attacks/policy.ts';
import { requestBodies } from './attacks/request-bodies.ts';
import { requestHeaders } from './attacks/request-headers.ts';
import { errorPages, parallel, responses } from './attacks/responses.ts';
import { schemas } from './attacks/schemas.ts';
import { secrets } from './attacks/secrets.ts';
import { unread } from './attacks/unread.ts';
import { violations } from './attacks/violations.ts';

const all: readonly Attack[] = [
  ...[
    requestHeaders,
    schemas,
    violations,
    responses,
    errorPages,
    parallel,
    encodings,
    framing,
  ].flat(),
  ...[connections, unread, secrets, judgements, credentials, requestBodies, policy].flat(),
];

/** For tests: without variants, which seldom show more, and without what waits. */
export const BRIEF_ATTACKS = all.filter(
  ({ variant = false, patient = false }) => !variant && !patient,
);

export const PATIENT_ATTACKS = all.filter(({ patient = false }) => patient);

/** Attacks by a pattern of their name, or of `#` and their finding; those with one first. */
export function attacksLike(pattern = ''): Attack[] {
  const wanted = new RegExp(pattern, 'i');
  const reviewed = all.filter(({ finding }) => finding !== undefined);
  const others = all.filter(({ finding }) => finding === undefined);
  return [...reviewed, ...others].filter(
    ({ name, finding }) =>
      wanted.test(name) || (finding !== undefined && wanted.test(`#${finding}`)),
  );
}
