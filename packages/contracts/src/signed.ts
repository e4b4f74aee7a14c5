import './node-version.ts';
import type { Static, TSchema } from '@sinclair/typebox';
import {
  type CompactJWSHeaderParameters,
  type CryptoKey,
  compactVerify,
  errors,
  type JWK,
} from 'jose';
import { JsonFault, parseExact } from './json/index.ts';
import {
  APPROVAL,
  APPROVAL_REQUEST,
  ApprovalClaims,
  ApprovalRequestClaims,
  DECISION_TOKEN,
  DecisionClaims,
  SIGNATURE_ALGORITHM,
} from './policy/signed.ts';
import { compileValidator } from './validation.ts';

/** Kind of text that a policy service signs, and what it may contain. */
function kindOf<T extends TSchema>(
  names: { readonly typ: string; readonly aud: string },
  claims: T,
) {
  const check = compileValidator(claims);
  return { ...names, check };
}

const SIGNED = {
  decision: kindOf(DECISION_TOKEN, DecisionClaims),
  approvalRequest: kindOf(APPROVAL_REQUEST, ApprovalRequestClaims),
  approval: kindOf(APPROVAL, ApprovalClaims),
} as const;

type Kinds = typeof SIGNED;
type ClaimsOf<K extends keyof Kinds> = Extract<
  ReturnType<Kinds[K]['check']>,
  { readonly ok: true }
>['value'];

/** Returns the key with an id, or undefined. jose imports each JWK once. */
export type FindKey = (kid: string) => Promise<CryptoKey | JWK | undefined>;

/** Only these members of a header are understood. Keys inside a header, for example, are not. */
const HEADER_MEMBERS: ReadonlySet<string> = new Set(['alg', 'typ', 'kid']);

/**
 * Form of a compact JWS with an Ed25519 signature. jose also decodes base64 with spaces or padding,
 * so texts of any other form are refused first.
 */
const FORM = /^[\w-]+\.[\w-]+\.[\w-]{86}$/;

/**
 * Returns the claims of a signed text, or undefined if its signature, header, audience, issuer or
 * claims are wrong. Does not look at times (docs/contract.md, "Claims").
 */
export async function readSigned<K extends keyof Kinds>(
  text: string,
  kind: K,
  find: FindKey,
  issuer: string,
): Promise<ClaimsOf<K> | undefined> {
  if (!FORM.test(text)) return undefined;

  const { typ, aud, check } = SIGNED[kind];
  const keyFor = async (header?: CompactJWSHeaderParameters) => {
    const isPlain = Object.keys(header ?? {}).every((name) => HEADER_MEMBERS.has(name));
    const key = isPlain && header?.typ === typ ? await find(header.kid ?? '') : undefined;
    if (key === undefined) throw new errors.JWKSNoMatchingKey();
    return key;
  };
  try {
    const { payload } = await compactVerify(text, keyFor, { algorithms: [SIGNATURE_ALGORITHM] });
    const checked = check(parseExact(Buffer.from(payload)));
    if (!checked.ok) return undefined;

    const claims: Static<typeof DecisionClaims> | ClaimsOf<K> = checked.value;
    return claims.aud === aud && claims.iss === issuer ? (checked.value as ClaimsOf<K>) : undefined;
  } catch (error) {
    if (error instanceof errors.JOSEError || isMalformed(error)) return undefined;
    throw error;
  }
}

/**
 * Returns the claims of an approval request without verifying it, or undefined if it is malformed.
 * Only for a request that is shown to a person and then sent, unchanged, to the policy service,
 * because that service verifies it.
 */
export function unverifiedRequest(text: string): ApprovalRequestClaims | undefined {
  if (!FORM.test(text)) return undefined;
  try {
    const [, payload = ''] = text.split('.');
    const checked = SIGNED.approvalRequest.check(parseExact(Buffer.from(payload, 'base64url')));
    return checked.ok ? checked.value : undefined;
  } catch (error) {
    if (isMalformed(error)) return undefined;
    throw error;
  }
}

const isMalformed = (error: unknown): boolean =>
  error instanceof SyntaxError || error instanceof JsonFault;
