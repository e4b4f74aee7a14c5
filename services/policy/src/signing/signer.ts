import { hash, randomUUID } from 'node:crypto';
import {
  APPROVAL,
  APPROVAL_REQUEST,
  type ApprovalClaims,
  type ApprovalRequestClaims,
  type ApproveResponse,
  DECISION_TOKEN,
  SIGNATURE_ALGORITHM,
} from '@gatehouse/contracts';
import { UNCOVERED_HEADERS } from '@gatehouse/contracts/action';
import { sortedJson } from '@gatehouse/contracts/json';
import { readSigned } from '@gatehouse/contracts/signed';
import { type Check, type Evaluation, toResponse } from '@gatehouse/policy';
import type { SigningKeys } from '@gatehouse/policy/files';
import { type JWTPayload, SignJWT } from 'jose';

interface SignerSettings {
  readonly issuer: string;
  /** Seconds for which an approval request is valid. */
  readonly requestTtlS: number;
}

/** Check with an action, and the caller and the decision that a token is about. */
export interface Decided {
  readonly check: Check;
  readonly action: NonNullable<Check['action']>;
  readonly evaluation: Evaluation;
  readonly caller: string | undefined;
}

const DECISION_TTL_S = 60;

/** Signs decisions, approval requests and approvals, and reads them (docs/binding.md). */
export class Signer {
  keys: SigningKeys;
  readonly #settings: SignerSettings;
  readonly #now: () => number;

  constructor(keys: SigningKeys, settings: SignerSettings, now = () => Date.now()) {
    this.keys = keys;
    this.#settings = settings;
    this.#now = now;
  }

  /** Seconds since 1970. */
  get seconds(): number {
    return Math.floor(this.#now() / 1_000);
  }

  isOver({ exp }: { readonly exp: number }): boolean {
    return this.#now() >= exp * 1_000;
  }

  decisionToken(decided: Decided, approval?: ApprovalClaims): Promise<string> {
    const { approval_id, approved_until } = approval ?? {};
    const approved = approval && { approval_id, approved_until };
    const claims = { jti: randomUUID(), ...signedDigests(decided), ...approved };
    return this.#sign(DECISION_TOKEN, claims, DECISION_TTL_S);
  }

  approvalRequest(decided: Decided): Promise<string> {
    const { check, action, evaluation } = decided;
    const { rules } = toResponse(evaluation);
    const claims = {
      ...{ jti: randomUUID(), ...signedDigests(decided), rules },
      ...{ action: withoutUncovered(action.json), check: sectionsToSign(check) },
    };
    return this.#sign(APPROVAL_REQUEST, claims, this.#settings.requestTtlS);
  }

  /** Approves a request. The same request always gets the same `approval_id`. */
  async approval(
    request: string,
    claims: ApprovalRequestClaims,
    { by, validForS }: { readonly by: string; readonly validForS: number },
  ): Promise<ApproveResponse> {
    const { action_digest, policy_digest, caller, check, rules } = claims;
    const asking = rules.filter(({ outcome }) => outcome === 'require_approval');
    const approved = {
      approval_id: approvalId(request),
      approved_by: by,
      approved_until: new Date((this.seconds + validForS) * 1_000).toISOString(),
    };
    const covered = {
      ...{ action_digest, policy_digest, ...(caller !== undefined && { caller }) },
      ...{ check_digest: sha256(check), rules: asking.map(({ rule }) => rule) },
    };
    const approval = await this.#sign(APPROVAL, { ...covered, ...approved }, validForS);
    return { approval, ...approved };
  }

  read(text: string, kind: 'approval'): Promise<ApprovalClaims | undefined>;
  read(text: string, kind: 'approvalRequest'): Promise<ApprovalRequestClaims | undefined>;
  read(text: string, kind: 'approval' | 'approvalRequest') {
    return readSigned(text, kind, (kid) => this.keys.find(kid), this.#settings.issuer);
  }

  async #sign(
    { typ, aud }: { readonly typ: string; readonly aud: string },
    claims: JWTPayload,
    ttlS: number,
  ): Promise<string> {
    const { kid, privateKey } = this.keys;
    const iat = this.seconds;
    const payload = { iss: this.#settings.issuer, aud, iat, exp: iat + ttlS, ...claims };
    return new SignJWT(payload)
      .setProtectedHeader({ alg: SIGNATURE_ALGORITHM, typ, kid })
      .sign(privateKey);
  }
}

const signedDigests = ({ action, evaluation, caller }: Decided) => ({
  action_digest: action.digest,
  policy_digest: evaluation.digest,
  ...(caller !== undefined && { caller }),
});

/** Digest of what an approval covers of a check. */
export const checkDigest = (check: Check): string => sha256(sectionsToSign(check));

function sectionsToSign({
  request_id: _,
  action: _action,
  approval: _approval,
  ...sections
}: Check) {
  return JSON.parse(JSON.stringify(sections), function (this: unknown, _name, value) {
    return value === null && !Array.isArray(this) ? undefined : value;
  });
}

/** Leaves out the values of headers that the digest does not cover. */
function withoutUncovered(action: Readonly<Record<string, unknown>>) {
  const headers = Object.entries(Object(action.headers) as Record<string, unknown>);
  if (headers.length === 0) return action;
  const shown = headers.map(([name, value]) => {
    return [name, UNCOVERED_HEADERS.has(name.toLowerCase()) ? null : value];
  });
  return { ...action, headers: Object.fromEntries(shown) };
}

/** Hashes what is signed, because a signature can be written in several ways. */
const approvalId = (request: string): string =>
  hash('sha256', request.slice(0, request.lastIndexOf('.')), 'base64url');

const sha256 = (value: unknown): string => hash('sha256', sortedJson(value), 'base64url');
