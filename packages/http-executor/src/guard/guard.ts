import {
  type ActionArguments,
  METHODS,
  type Method,
  summarizeViolations,
  type Violation,
} from '@gatehouse/contracts';
import { ACCEPTED_CODINGS } from '../attempt/content-coding.ts';
import { Refusal } from '../refusal.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { readBody } from './request-body.ts';
import { type HeaderMap, readHeaders } from './request-headers.ts';
import { admitTarget, readUrl } from './url.ts';

/**
 * Sent unless the action sets them; some servers refuse requests without a user agent.
 */
const DEFAULT_HEADERS = [
  ['accept', 'application/json'],
  ['user-agent', 'gatehouse-executor'],
] as const;

/** A request that passed the guard. */
export interface OutboundRequest {
  readonly method: Method;
  readonly url: URL;
  readonly headers: HeaderMap;
  /** Undefined when no body is sent. */
  readonly body: string | undefined;
}

/**
 * The first stage, before any socket: an action that matches its schema becomes a
 * request, or is refused with every violation. Not sufficient alone: the transport checks
 * the address that is actually connected to.
 */
export function guardAction(action: ActionArguments, sandbox: Sandbox): OutboundRequest {
  const method = METHODS.find((each) => each === action.method.toUpperCase());
  const target = readUrl(action.url);
  const { headers, violations } = readHeaders(action.headers ?? {});
  const body = readBody(action.body, headers.get('content-type'));
  if ('violation' in target) violations.unshift(target.violation);
  if ('violation' in body) violations.push(body.violation);
  if (
    violations.length > 0 ||
    method === undefined ||
    'violation' in target ||
    'violation' in body
  ) {
    throw new Refusal('InvalidAction', summarizeViolations(violations), violations);
  }

  admitTarget(target, sandbox);
  if (body.text !== undefined && !headers.has('content-type'))
    headers.set('content-type', 'application/json');
  for (const [name, value] of DEFAULT_HEADERS) if (!headers.has(name)) headers.set(name, value);
  headers.set('accept-encoding', ACCEPTED_CODINGS);
  return { method, url: target.url, headers, body: body.text };
}

/**
 * What the guard would object to in a value that does not match the schema, so that all
 * is listed at once.
 */
export function inspectAction(value: unknown): Violation[] {
  if (typeof value !== 'object' || value === null) return [];
  const { url, headers, body } = value as Record<string, unknown>;
  const target = typeof url === 'string' ? readUrl(url) : undefined;
  const read = readHeaders(isStringMap(headers) ? headers : {});
  const readable = readBody(body, read.headers.get('content-type'));
  return [
    ...(target !== undefined && 'violation' in target ? [target.violation] : []),
    ...read.violations,
    ...('violation' in readable ? [readable.violation] : []),
  ];
}

function isStringMap(value: unknown): value is Record<string, string> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((member) => typeof member === 'string')
  );
}
