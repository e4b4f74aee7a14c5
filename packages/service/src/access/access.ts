import { isIP, type Socket } from 'node:net';
import type { Reloadable } from '@gatehouse/config-file';
import type { Logger } from 'pino';
import { expiryWarning, type Tls } from './tls.ts';
import type { Tokens } from './tokens.ts';

export interface ReloadDeps {
  readonly logger: Logger;
  readonly setTls: (tls: Tls) => void;
  readonly pollMs: number | undefined;
}

export interface Access {
  /** Tokens of callers. If undefined, callers need no token. */
  readonly tokens: Tokens | undefined;
  /** Tokens only for `/metrics`. If undefined, `/metrics` needs the same token as other paths. */
  readonly metricsTokens?: Tokens | undefined;
  /** Tokens only for `/policy/approvals`, which no other token opens. */
  readonly approverTokens?: Tokens | undefined;
  /** If undefined, the service speaks plain HTTP. */
  readonly tls: Tls | undefined;
  readonly corsOrigins: ReadonlySet<string>;
  /** Gets a caller's name from a client certificate. Undefined if certificates are not required. */
  readonly certificateCaller?: ((socket: Socket) => string | undefined) | undefined;
  /** Reloads token and TLS files whenever they change. */
  readonly reload?: (deps: ReloadDeps) => Reloadable[];
}

export const OPEN_ACCESS: Access = { tokens: undefined, tls: undefined, corsOrigins: new Set() };

const LOOPBACK = /^(?:(?:::ffff:)?127\.[\d.]+|::1)$/;

/** Returns startup warnings about weak tokens, an expired certificate and unprotected access. */
export function accessWarnings(
  { tokens, metricsTokens, approverTokens, tls }: Access,
  bind: { readonly host: string; readonly port: number },
  bindSetting: string,
): string[] {
  const weaknesses = [
    ...[tokens, metricsTokens, approverTokens].map((each) => each?.weakness),
    tls && expiryWarning(tls),
  ];
  const warnings = weaknesses.filter((weakness) => weakness !== undefined);
  if (tokens === undefined && tls?.clientCa === undefined && !LOOPBACK.test(bind.host)) {
    const local = `${isIP(bind.host) === 6 ? '[::1]' : '127.0.0.1'}:${bind.port}`;
    warnings.push(
      `anyone who can reach ${bind.host} can call this service; set API tokens, or ${bindSetting}=${local} to serve only this machine (in a container, publish the port on 127.0.0.1 instead)`,
    );
  }
  return warnings;
}

const MOST_SHOWN = 20;

/**
 * Warns about callers that are named in a file but have no token, for example because of a typo.
 * Does not warn if client certificates are required, because a certificate can also name a caller.
 */
export function warnOfUnknownCallers(
  callers: Iterable<string>,
  access: Access,
  logger: Logger,
  message: string,
): void {
  const unknown = [...new Set(callers)].filter((caller) => !access.tokens?.callers.has(caller));
  if (unknown.length === 0 || access.certificateCaller !== undefined) return;
  logger.warn({ callers: unknown.slice(0, MOST_SHOWN), count: unknown.length }, message);
}
