import {
  type ActionArguments,
  EXECUTOR_SETTINGS,
  METHODS,
  type Method,
  type Violation,
} from '@gatehouse/contracts';
import { chooseDestination, type Destination, readUrl, type Target } from '@gatehouse/destinations';
import type { CredentialHeader } from '../credentials/credential.ts';
import { NO_WAY_AROUND, Refusal } from '../errors.ts';
import type { Sandbox, Upstreams } from '../sandbox/sandbox.ts';
import { readBody } from './request-body.ts';
import {
  addDefaultHeaders,
  credentialViolations,
  readActionHeaders,
  readHeaders,
} from './request-headers.ts';

export interface OutboundRequest {
  readonly method: Method;
  readonly url: URL;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string | undefined;
  readonly route: Route;
  /** Header with the destination's credential, if the destination has one. */
  readonly credential?: CredentialHeader | undefined;
  /** False after a redirect to another origin or destination, where no credential may be sent. */
  readonly mayAuthenticate: boolean;
}

/**
 * Checks a schema-valid action and turns it into a request, without using the network. The
 * transport must also check each address, because a host name may resolve to any address.
 * @throws {Refusal} `InvalidAction` for an invalid action, or the refusal from `findRoute` if the
 * URL and the headers are valid but no destination allows the request.
 */
export function guard(
  action: ActionArguments,
  { sandbox, maxRequestBytes }: { sandbox: Sandbox; maxRequestBytes: number },
  caller: string | undefined,
): OutboundRequest {
  const { upstreams } = sandbox;
  const method = METHODS.find((each) => each === action.method.toUpperCase());
  const target = readUrl(action.url);
  const { headers, violations } = readHeaders(action.headers ?? {});
  let route: Route | undefined;
  if ('violation' in target) violations.unshift(target.violation);
  // Find the route before encoding the body, so that no work is wasted on a refused host.
  else if (method !== undefined) {
    const found = findRoute(target, method, { upstreams, caller });
    if (!(found instanceof Refusal)) {
      route = found;
      violations.push(...credentialViolations(action.headers, credentialOf(route)));
    } else if (violations.length === 0) throw found;
  }
  const body = readBody(action.body, headers.get('content-type'), maxRequestBytes);
  if ('violation' in body) violations.push(body.violation);
  const isInvalid = violations.length > 0 || 'violation' in target || 'violation' in body;
  if (isInvalid || method === undefined || route === undefined)
    throw new Refusal('InvalidAction', violations);

  addDefaultHeaders(headers, body.text, action.response_type ?? 'json');
  return { method, url: target.url, headers, body: body.text, route, mayAuthenticate: true };
}

/** Lists violations in an action's URL, headers and body, even if the action is malformed. */
export function inspectAction(value: unknown, maxRequestBytes: number): Violation[] {
  if (typeof value !== 'object' || value === null) return [];
  const { url, body } = value as Record<string, unknown>;
  const target = typeof url === 'string' ? readUrl(url) : undefined;
  const read = readActionHeaders(value);
  const content = readBody(body, read.headers.get('content-type'), maxRequestBytes);
  return [
    ...(target !== undefined && 'violation' in target ? [target.violation] : []),
    ...read.violations,
    ...('violation' in content ? [content.violation] : []),
  ];
}

/** The destination chosen for a request, and the configuration that it was chosen from. */
export interface Route {
  readonly destination: Destination;
  readonly upstreams: Upstreams;
  readonly caller: string | undefined;
}

export const credentialOf = ({ upstreams, destination }: Route) =>
  upstreams.credentials.get(destination.source.credential ?? '');

/** Finds the destination, or returns a `HostNotAllowed` or `DestinationNotAllowed` refusal. */
export function findRoute(
  target: Target,
  method: Method,
  { upstreams, caller }: Omit<Route, 'destination'>,
): Route | Refusal {
  const { destinations, fromFile } = upstreams;
  const { destinations: file, allowedHosts } = EXECUTOR_SETTINGS;
  const listedIn = fromFile ? file : allowedHosts;
  const choice = chooseDestination(destinations, { ...target, method, caller, listedIn });
  if ('destination' in choice) return { destination: choice.destination, upstreams, caller };
  const { reason, canBeRewritten } = choice;
  return new Refusal(
    fromFile ? 'DestinationNotAllowed' : 'HostNotAllowed',
    canBeRewritten ? reason : `${reason} ${NO_WAY_AROUND}`,
  );
}
