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

const ACCEPTED: Readonly<Record<ResponseType, string>> = {
  json: 'application/json',
  text: '*/*',
  base64: '*/*',
  auto: 'application/json, */*;q=0.9',
};

/** The content codings that `attempt/content-coding.ts` can decode. */
const ACCEPTED_CODINGS = 'gzip, deflate, br, zstd';

/** Some servers refuse requests without a user agent. */
const DEFAULT_USER_AGENT = 'gatehouse-executor';

export interface OutboundRequest {
  readonly method: Method;
  readonly url: URL;
  readonly headers: HeaderMap;
  readonly body: string | undefined;
  readonly responseType: ResponseType;
}

/**
 * Turns an action that matches its schema into a request, before any socket is opened. The
 * transport also has to check each address, because a name may resolve to any address.
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
  // Checked before the body, so that we do not encode a body for a refused host.
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

/** Lists the guard's violations in a value that need not match the schema of actions. */
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
