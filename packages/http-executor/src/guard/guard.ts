import {
  type ActionArguments,
  METHODS,
  type Method,
  type ResponseType,
  summarizeViolations,
  type Violation,
} from '@gatehouse/contracts';
import { Refusal } from '../errors.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { readBody } from './request-body.ts';
import { type HeaderMap, readHeaders } from './request-headers.ts';
import { admitTarget, readUrl } from './url.ts';

/** `accept`, unless the action sets it. */
const ACCEPTED: Readonly<Record<ResponseType, string>> = {
  json: 'application/json',
  text: '*/*',
  base64: '*/*',
  auto: 'application/json, */*;q=0.9',
};

/** The content codings that `attempt/content-coding.ts` undoes. */
const ACCEPTED_CODINGS = 'gzip, deflate, br, zstd';

/** Some servers refuse requests without a user agent. */
const DEFAULT_USER_AGENT = 'gatehouse-executor';

/** A request that passed the guard. */
export interface OutboundRequest {
  readonly method: Method;
  readonly url: URL;
  readonly headers: HeaderMap;
  /** Undefined when no body is sent. */
  readonly body: string | undefined;
  /** How the response body is to be read. */
  readonly responseType: ResponseType;
}

/**
 * The first stage, before any socket: turns an action that matches its schema into a
 * request. Not sufficient alone: the transport checks the address that it connects to.
 * @throws {Refusal} `InvalidAction` with every violation, or `HostNotAllowed`.
 */
export function guard(
  action: ActionArguments,
  sandbox: Sandbox,
  maxRequestBytes: number,
): OutboundRequest {
  const method = METHODS.find((each) => each === action.method.toUpperCase());
  const target = readUrl(action.url);
  const { headers, violations } = readHeaders(action.headers ?? {});
  if ('violation' in target) violations.unshift(target.violation);
  // Before the body, so that nothing is built for a host that is refused anyway.
  else if (violations.length === 0) admitTarget(target, sandbox);
  const body = readBody(action.body, headers.get('content-type'), maxRequestBytes);
  if ('violation' in body) violations.push(body.violation);
  const isInvalid = violations.length > 0 || method === undefined;
  if (isInvalid || 'violation' in target || 'violation' in body)
    throw new Refusal('InvalidAction', summarizeViolations(violations), violations);

  if (body.text !== undefined && !headers.get('content-type'))
    headers.set('content-type', 'application/json');
  const responseType = action.response_type ?? 'json';
  if (!headers.has('accept')) headers.set('accept', ACCEPTED[responseType]);
  if (!headers.has('user-agent')) headers.set('user-agent', DEFAULT_USER_AGENT);
  headers.set('accept-encoding', ACCEPTED_CODINGS);
  return { method, url: target.url, headers, body: body.text, responseType };
}

/** What the guard would refuse in a value that breaks the schema of actions. */
export function inspectAction(value: unknown, maxRequestBytes: number): Violation[] {
  if (typeof value !== 'object' || value === null) return [];
  const { url, headers, body } = value as Record<string, unknown>;
  const target = typeof url === 'string' ? readUrl(url) : undefined;
  const read = readHeaders(isStringMap(headers) ? headers : {});
  const content = readBody(body, read.headers.get('content-type'), maxRequestBytes);
  return [
    ...(target !== undefined && 'violation' in target ? [target.violation] : []),
    ...read.violations,
    ...('violation' in content ? [content.violation] : []),
  ];
}

function isStringMap(value: unknown): value is Record<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((member) => typeof member === 'string');
}
