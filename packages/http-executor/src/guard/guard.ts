import {
  type ActionArguments,
  failure,
  type Method,
  type Result,
  success,
  type Violation,
} from '@gatehouse/contracts';
import {
  encodeBody,
  inspectAction,
  readHeaders,
  readTarget,
  type Target,
  toMethod,
  validateAction,
  validMembers,
} from '@gatehouse/contracts/action';
import type { Credential } from '../credentials/credential.ts';
import { credentialsOnHost, type Upstreams } from '../credentials/upstreams.ts';
import { chooseDestination } from '../destinations/choose.ts';
import type { Destination } from '../destinations/destinations.ts';
import { NO_WAY_AROUND, Refusal, tooManyRequests } from '../errors.ts';
import type { Sandbox, SettingNames } from '../sandbox.ts';
import type { HeaderRules } from '../secrets/header-names.ts';
import { MAX_SECRETS, type Secrets, secretsOfHeaders } from '../secrets/secrets.ts';
import type { AcceptedSchema, ResponseSchemas } from '../threads/response-schemas.ts';
import { type Binding, type BindingRules, bind, needsDigest, type Sender } from './binding.ts';
import { addDefaultHeaders, credentialViolations } from './headers.ts';
import { readShape, type Shape } from './shape.ts';

/** Rules that the guard checks actions against. */
export interface GuardRules extends BindingRules {
  readonly sandbox: Sandbox;
  readonly schemas: ResponseSchemas;
  readonly headerRules: HeaderRules;
  readonly maxRequestBytes: number;
}

/** A request that may be sent to its destination. */
export interface OutboundRequest extends Binding {
  readonly method: Method;
  readonly url: URL;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string | Buffer | undefined;
  readonly route: Route;
  /** Secrets of the caller, which are redacted in the outcome. */
  readonly secrets: Secrets;
  readonly schema: AcceptedSchema | undefined;
  readonly shape: Shape;
  /** Limit on the total time that the action itself sets, in milliseconds. */
  readonly timeoutMs: number | undefined;
}

/** The destination chosen for a request, and the configuration that it was chosen from. */
export interface Route {
  readonly destination: Destination;
  readonly upstreams: Upstreams;
  readonly caller: string | undefined;
  readonly names: SettingNames;
}

/**
 * Turns an action into a request, or refuses it, without using the network. The transport must also
 * check each address, because a host name may resolve to any address. Refuses in this order:
 * 1. an unusable idempotency key;
 * 2. an action that violates its schema;
 * 3. a malformed URL, malformed headers or too many secrets;
 * 4. a request that no destination allows, unless the action needs a digest;
 * 5. headers that the destination's credential rules out, and a body that cannot be sent;
 * 6. an unusable `response_schema`;
 * 7. if the action needs a digest: an inexact body, then a bad decision token, then a request that
 *    no destination allows.
 * @throws {Refusal}
 */
export async function guard(
  value: unknown,
  rules: GuardRules,
  sender: Sender,
): Promise<OutboundRequest> {
  const { sandbox, schemas, headerRules, maxRequestBytes } = rules;
  const { caller } = sender;
  const isBound = needsDigest(sender, rules);
  const action = checkAction(value, maxRequestBytes);

  const { method, target, headers, secrets, shape, violations } = readParts(action, headerRules);
  const route = target && findRoute(target, method, { ...sandbox, caller });
  const isRefused = route?.ok === false && !isBound;
  if (violations.length === 0 && isRefused) throw route.reason;

  const credential = route?.ok ? credentialOf(route.value) : undefined;
  const hidden = credentialsOnHost(sandbox.upstreams, target?.url.hostname ?? '');
  const hasHiddenSecrets = hidden.length > 0;
  violations.push(...credentialViolations(action.headers, credential, hasHiddenSecrets));
  // Do not encode the body for a refused host, so that no work is wasted on it.
  const body = isRefused ? undefined : encodeBody(action, headers, maxRequestBytes);
  if (body?.ok === false) violations.push(...body.reason);
  if (violations.length > 0 || !target || !route || !body?.ok)
    throw new Refusal('InvalidAction', violations);

  const schema = await acceptSchema(action.response_schema, schemas, caller);

  const { url } = target;
  const binding = await bind({ action, method, url, headers }, sender, rules);
  if (!route.ok) throw route.reason;

  const { content, contentType } = body.value;
  const type = shape.responseType ?? 'json';
  addDefaultHeaders(headers, { contentType, type, hasHiddenSecrets });
  return {
    ...{ method, url, headers, body: content, route: route.value, ...binding },
    ...{ secrets, schema, shape, timeoutMs: action.timeout_ms ?? undefined },
  };
}

/** @throws {Refusal} with all violations, also those that the schema does not describe */
function checkAction(value: unknown, maxRequestBytes: number): ActionArguments {
  const checked = validateAction(value);
  if (checked.ok) return checked.value;
  const others = inspectAction(value, maxRequestBytes);
  const { violations } = readShape(validMembers(value));
  throw new Refusal('InvalidAction', [...checked.violations, ...others, ...violations]);
}

/** Reads the members of an action that no destination decides about, and lists their violations. */
function readParts(action: ActionArguments, { isCredential }: HeaderRules) {
  const method = toMethod(action.method);
  const target = readTarget(action, method);
  const read = readHeaders(action.headers ?? {});
  const { shape, violations: misshapen } = readShape(action);
  const violations = [...target.violations, ...read.violations, ...misshapen];
  const secrets = secretsOfHeaders(read.headers, isCredential);
  if (secrets.count > MAX_SECRETS) violations.push(TOO_MANY_SECRETS);
  return { method, target: target.value, headers: read.headers, secrets, shape, violations };
}

const TOO_MANY_SECRETS: Violation = {
  pointer: '/headers',
  message: `must not contain more than ${MAX_SECRETS} credentials; leave out those that the upstream does not need`,
};

async function acceptSchema(
  schema: object | null | undefined,
  schemas: ResponseSchemas,
  caller: string | undefined,
): Promise<AcceptedSchema | undefined> {
  if (schema == null) return undefined;
  const accepted = await schemas.accept(schema, caller);
  if (accepted.ok) return accepted.value;
  if (accepted.reason === 'busy') throw tooManyRequests(SCHEMAS_BUSY);
  throw new Refusal('InvalidResponseSchema', [accepted.reason]);
}

const SCHEMAS_BUSY =
  'too many new response schemas are being compiled; send the action again later';

export const credentialOf = ({ upstreams, destination }: Route): Credential | undefined =>
  upstreams.credentials.get(destination.source.credential ?? '');

/** Finds the destination, or a `HostNotAllowed` or `DestinationNotAllowed` refusal. */
export function findRoute(
  target: Target,
  method: Method,
  { upstreams, caller, names }: Omit<Route, 'destination'>,
): Result<Route, Refusal> {
  const { destinations, fromFile } = upstreams;
  const listedIn = fromFile ? names.destinations : names.allowedHosts;
  const choice = chooseDestination(destinations, { ...target, method, caller, listedIn });
  if (choice.ok) return success({ destination: choice.value, upstreams, caller, names });
  const { text, canBeRewritten } = choice.reason;
  const detail = canBeRewritten ? text : `${text} ${NO_WAY_AROUND}`;
  return failure(new Refusal(fromFile ? 'DestinationNotAllowed' : 'HostNotAllowed', detail));
}
