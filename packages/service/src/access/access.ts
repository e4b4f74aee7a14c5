import { isIP } from 'node:net';
import type { CleanedEnv } from 'envalid';
import {
  type BindAddress,
  type Environment,
  fileOf,
  secret,
  type Values,
} from '../settings/settings.ts';
import { originList } from './cors.ts';
import { parseCertificates, parsePrivateKey, type Tls, tlsConflict } from './tls.ts';
import { type ApiToken, findClash, parseTokens, Tokens } from './tokens.ts';

export interface Access {
  /** Undefined: anyone who can reach the service may call it. */
  readonly tokens: Tokens | undefined;
  /** Undefined: plain HTTP. */
  readonly tls: Tls | undefined;
  readonly corsOrigins: ReadonlySet<string>;
}

export const OPEN_ACCESS: Access = { tokens: undefined, tls: undefined, corsOrigins: new Set() };

const SPECS = {
  API_TOKENS: secret(parseTokens)({
    default: undefined,
    desc: 'Tokens, comma-separated, each `token` or `name:token`. Log lines and metrics show the name as `caller`. Callers must send a token as `authorization: Bearer`, except to `/healthz`, `/readyz`, `/openapi.json`, `/docs` and `/problems`.',
  }),
  API_TOKENS_FILE: fileOf(parseTokens)({
    default: undefined,
    desc: 'File with one such entry per line, in addition to the list.',
    example: '/run/secrets/tokens',
  }),
  TLS_CERT_FILE: fileOf(parseCertificates)({
    default: undefined,
    desc: 'PEM certificate with its chain. With a certificate and a key, the service accepts only HTTPS (TLS 1.2 or later).',
    example: '/run/secrets/tls.crt',
  }),
  TLS_KEY_FILE: fileOf(parsePrivateKey)({
    default: undefined,
    desc: 'PEM private key of that certificate, without a passphrase.',
    example: '/run/secrets/tls.key',
  }),
  TLS_CLIENT_CA_FILE: fileOf(parseCertificates)({
    default: undefined,
    desc: 'PEM certificate authorities. Callers must present a client certificate from one of them.',
    example: '/run/secrets/clients.crt',
  }),
  CORS_ORIGINS: originList({
    default: OPEN_ACCESS.corsOrigins,
    desc: 'Exact origins whose pages may call the service from a browser.',
    example: 'https://app.example.com',
  }),
};

type Specs = typeof SPECS;

/** Access settings under a service's prefix, such as `POLICY_API_TOKENS` for `POLICY`. */
export function accessSchema<P extends string>(prefix: P) {
  const named = Object.entries(SPECS).map(([name, spec]) => [`${prefix}_${name}`, spec]);
  return Object.fromEntries(named) as { [K in keyof Specs as `${P}_${K}`]: Specs[K] };
}

export function readAccess(prefix: string, settings: Values): Access {
  const named = Object.keys(SPECS).map((name) => [name, settings[`${prefix}_${name}`]]);
  const values = Object.fromEntries(named) as CleanedEnv<Specs>;
  const tokens = [...(values.API_TOKENS ?? []), ...(values.API_TOKENS_FILE ?? [])];
  const { TLS_CERT_FILE: cert, TLS_KEY_FILE: key, TLS_CLIENT_CA_FILE: clientCa } = values;
  return {
    tokens: tokens.length === 0 ? undefined : new Tokens(tokens),
    tls: cert === undefined || key === undefined ? undefined : { cert, key, clientCa },
    corsOrigins: values.CORS_ORIGINS,
  };
}

/** Returns a function that lists contradictions between access settings, by name. */
export function checkAccess(prefix: string) {
  const file = `${prefix}_API_TOKENS_FILE`;
  const cert = `${prefix}_TLS_CERT_FILE`;
  const key = `${prefix}_TLS_KEY_FILE`;
  const clientCa = `${prefix}_TLS_CLIENT_CA_FILE`;
  return (env: Environment, settings: Values): Record<string, string> => {
    const missing = (name: string) => env[name] === undefined;
    const conflicts: Record<string, string> = {};
    const both = [`${prefix}_API_TOKENS`, file].flatMap(
      (name) => (settings[name] ?? []) as ApiToken[],
    );
    if (findClash(both) !== undefined)
      conflicts[file] = `must give each token to the same caller as ${prefix}_API_TOKENS does`;
    if (!missing(cert) && missing(key)) conflicts[cert] = `needs ${key} as well`;
    if (!missing(key) && missing(cert)) conflicts[key] = `needs ${cert} as well`;
    if (!missing(clientCa) && missing(cert))
      conflicts[clientCa] = `needs ${cert} and ${key} as well`;
    const { tls } = readAccess(prefix, settings);
    const refusal = tls && tlsConflict(tls);
    if (refusal !== undefined)
      conflicts[key] = `is not the key of ${cert}, or is too weak (${refusal})`;
    return conflicts;
  };
}

const LOOPBACK = /^(?:localhost|(?:::ffff:)?127\.[\d.]+|::1)$/;

/** Startup warnings about who can call the service (docs/contract.md, "Authentication"). */
export function accessWarnings({ access, bind, bindSetting }: Listener): string[] {
  const { tokens, tls } = access;
  const warnings: string[] = [];
  if (tokens?.weakness !== undefined) warnings.push(tokens.weakness);
  if (tokens === undefined && tls?.clientCa === undefined && !LOOPBACK.test(bind.host)) {
    const local = `${isIP(bind.host) === 6 ? '[::1]' : '127.0.0.1'}:${bind.port}`;
    warnings.push(
      `anyone who can reach ${bind.host} can call this service; set API tokens, or ${bindSetting}=${local} to serve only this machine (in a container, publish the port on 127.0.0.1 instead)`,
    );
  }
  return warnings;
}

interface Listener {
  readonly access: Access;
  readonly bind: BindAddress;
  /** Name of the setting that `bind` comes from. */
  readonly bindSetting: string;
}
