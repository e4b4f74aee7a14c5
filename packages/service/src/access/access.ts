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
import { type ApiToken, clashOf, parseTokens, Tokens } from './tokens.ts';

export interface Access {
  /** Undefined: whoever reaches the service may call it. */
  readonly tokens: Tokens | undefined;
  /** Undefined: plain HTTP. */
  readonly tls: Tls | undefined;
  /** Origins whose pages may call it from a browser. */
  readonly corsOrigins: ReadonlySet<string>;
}

export const OPEN_ACCESS: Access = { tokens: undefined, tls: undefined, corsOrigins: new Set() };

const SPECS = {
  API_TOKENS: secret(parseTokens)({
    default: undefined,
    desc: 'Tokens, comma-separated, each `token` or `name:token`; the name stands in log lines and metrics as `caller`. Callers must send one as `authorization: Bearer`, except to `/healthz`, `/readyz`, `/openapi.json`, `/docs` and `/problems`.',
  }),
  API_TOKENS_FILE: fileOf(parseTokens)({
    default: undefined,
    desc: 'A file with one such entry per line; they count in addition.',
    example: '/run/secrets/tokens',
  }),
  TLS_CERT_FILE: fileOf(parseCertificates)({
    default: undefined,
    desc: 'PEM certificate with its chain; with the key, the service takes HTTPS only (TLS 1.2 and up).',
    example: '/run/secrets/tls.crt',
  }),
  TLS_KEY_FILE: fileOf(parsePrivateKey)({
    default: undefined,
    desc: 'PEM key of that certificate, without a passphrase.',
    example: '/run/secrets/tls.key',
  }),
  TLS_CLIENT_CA_FILE: fileOf(parseCertificates)({
    default: undefined,
    desc: 'PEM authorities; callers must show a certificate of one of them.',
    example: '/run/secrets/clients.crt',
  }),
  CORS_ORIGINS: originList({
    default: OPEN_ACCESS.corsOrigins,
    desc: 'Exact origins whose pages may call the service from a browser.',
    example: 'https://app.example.com',
  }),
};

type Specs = typeof SPECS;

/** The access settings under a service's prefix: `POLICY` gives `POLICY_API_TOKENS` etc. */
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

/** Messages by name about access settings that contradict each other. */
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
    if (clashOf(both) !== undefined)
      conflicts[file] = `must give a token of ${prefix}_API_TOKENS to the same caller`;
    if (!missing(cert) && missing(key)) conflicts[cert] = `needs ${key} as well`;
    if (!missing(key) && missing(cert)) conflicts[key] = `needs ${cert} as well`;
    if (!missing(clientCa) && missing(cert))
      conflicts[clientCa] = `needs ${cert} and ${key} as well`;
    const { tls } = readAccess(prefix, settings);
    const refusal = tls && tlsConflict(tls);
    if (refusal !== undefined)
      conflicts[key] = `is not the key of ${cert}, or too weak (${refusal})`;
    return conflicts;
  };
}

const LOOPBACK = /^(?:localhost|(?:::ffff:)?127\.[\d.]+|::1)$/;

/** Warnings for an operator at start about who can call the service (contract, section 1). */
export function accessWarnings({ access, bind, bindSetting }: Listener): string[] {
  const { tokens, tls } = access;
  const warnings: string[] = [];
  if (tokens?.weakness !== undefined) warnings.push(tokens.weakness);
  if (tokens === undefined && tls?.clientCa === undefined && !LOOPBACK.test(bind.host)) {
    const local = `${isIP(bind.host) === 6 ? '[::1]' : '127.0.0.1'}:${bind.port}`;
    warnings.push(
      `anyone who reaches ${bind.host} can call this service; set API tokens, or ${bindSetting}=${local} for this machine only (in a container, publish the port on 127.0.0.1 instead)`,
    );
  }
  return warnings;
}

interface Listener {
  readonly access: Access;
  readonly bind: BindAddress;
  /** The name of the setting that `bind` comes from. */
  readonly bindSetting: string;
}
