import { type ActionArguments, correction, METHODS, type Method, type Violation } from '@gatehouse/contracts';
import { ACCEPTED_CODINGS } from './content-coding.ts';
import { MAX_JSON_DEPTH, nestsTooDeep } from './json-depth.ts';
import { Refusal } from './refusal.ts';
import { type HeaderMap, readHeaders } from './request-headers.ts';
import type { Sandbox } from './sandbox.ts';
import { admitTarget, readUrl } from './url.ts';

/** Sent unless the action sets them; some servers refuse requests without a user agent. */
const DEFAULT_HEADERS = [
  ['accept', 'application/json'],
  ['user-agent', 'gatehouse-executor'],
] as const;

/** A request that passed the guard. */
export interface OutboundRequest {
  readonly method: Method;
  readonly url: URL;
  readonly headers: HeaderMap;
  /** Serialised JSON; undefined when no body is sent. */
  readonly body: string | undefined;
}

/**
 * The first stage, before any socket: an action that matches its schema becomes a request, or is refused with every
 * violation. Not sufficient alone: the transport checks the address that is actually connected to.
 */
export function guardAction(action: ActionArguments, sandbox: Sandbox): OutboundRequest {
  const method = METHODS.find((each) => each === action.method.toUpperCase());
  const target = readUrl(action.url);
  const { headers, violations } = readHeaders(action.headers ?? {});
  if ('violation' in target) violations.unshift(target.violation);
  if (nestsTooDeep(action.body)) violations.push(BODY_TOO_DEEP);
  if (violations.length > 0 || method === undefined || 'violation' in target) {
    throw new Refusal('InvalidAction', correction(violations), violations);
  }

  admitTarget(target, sandbox);
  const body = action.body == null ? undefined : JSON.stringify(action.body);
  if (body !== undefined && !headers.has('content-type')) headers.set('content-type', 'application/json');
  for (const [name, value] of DEFAULT_HEADERS) if (!headers.has(name)) headers.set(name, value);
  headers.set('accept-encoding', ACCEPTED_CODINGS);
  return { method, url: target.url, headers, body };
}

/** What the guard would object to in a value that does not match the schema, so that all is listed at once. */
export function inspectAction(value: unknown): Violation[] {
  if (typeof value !== 'object' || value === null) return [];
  const { url, headers, body } = value as Record<string, unknown>;
  const target = typeof url === 'string' ? readUrl(url) : undefined;
  return [
    ...(target !== undefined && 'violation' in target ? [target.violation] : []),
    ...(isStringMap(headers) ? readHeaders(headers).violations : []),
    ...(nestsTooDeep(body) ? [BODY_TOO_DEEP] : []),
  ];
}

const BODY_TOO_DEEP: Violation = { pointer: '/body', message: `must nest at most ${MAX_JSON_DEPTH} levels deep` };

function isStringMap(value: unknown): value is Record<string, string> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((member) => typeof member === 'string')
  );
}
