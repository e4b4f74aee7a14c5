import type { CleanedEnv } from 'envalid';
import { parseOrigins } from '../access/cors.ts';
import { keyConflict, parseCertificates, parsePrivateKey, type Tls } from '../access/tls.ts';
import { findClash, parseTokens } from '../access/tokens.ts';
import { type Environment, fileOf, listOf, secret, type Values } from './settings.ts';

/** Parsers of the files that settings name. */
export const FILE_PARSERS = {
  API_TOKENS_FILE: parseTokens,
  METRICS_TOKEN_FILE: parseTokens,
  TLS_CERT_FILE: parseCertificates,
  TLS_KEY_FILE: parsePrivateKey,
  TLS_CLIENT_CA_FILE: parseCertificates,
};

const ACCESS_SPECS = {
  API_TOKENS: secret(parseTokens)({
    default: undefined,
    desc: "Comma-separated tokens, each as `token` or `name:token`. If tokens are set, callers must send one as a Bearer token, except in requests to `/healthz`, `/readyz`, `/openapi.json`, `/docs`, `/problems` and `/policy/keys`. Log lines and metrics show the token's name as `caller`.",
  }),
  API_TOKENS_FILE: fileOf(FILE_PARSERS.API_TOKENS_FILE)({
    default: undefined,
    desc: 'File with additional tokens, one `token` or `name:token` per line. The service reloads token and TLS files when they change and on SIGHUP.',
    example: '/run/secrets/tokens',
  }),
  METRICS_TOKEN: secret(parseTokens)({
    default: undefined,
    desc: "Token that gives access only to `/metrics`, for Prometheus. If a metrics token is set, `/metrics` needs that token or a caller's token, even if other paths need no token.",
  }),
  METRICS_TOKEN_FILE: fileOf(FILE_PARSERS.METRICS_TOKEN_FILE)({
    default: undefined,
    desc: 'File with additional tokens that give access only to `/metrics`, one per line.',
    example: '/run/secrets/metrics-token',
  }),
  TLS_CERT_FILE: fileOf(FILE_PARSERS.TLS_CERT_FILE)({
    default: undefined,
    desc: "File with the service's PEM certificate and its chain. If a certificate and a key are set, the service accepts only HTTPS (TLS 1.2 or later).",
    example: '/run/secrets/tls.crt',
  }),
  TLS_KEY_FILE: fileOf(FILE_PARSERS.TLS_KEY_FILE)({
    default: undefined,
    desc: 'File with the PEM private key for the certificate, without a passphrase.',
    example: '/run/secrets/tls.key',
  }),
  TLS_CLIENT_CA_FILE: fileOf(FILE_PARSERS.TLS_CLIENT_CA_FILE)({
    default: undefined,
    desc: "PEM file of CA certificates for verifying client certificates. If a file is set, callers must present a client certificate issued by one of the CAs in the file. Log lines and metrics then show the certificate's common name as `caller`, unless the caller's token has a name.",
    example: '/run/secrets/clients.crt',
  }),
  CORS_ORIGINS: listOf(parseOrigins)({
    default: new Set<string>(),
    desc: "Comma-separated origins whose pages may call the service from a browser. An origin matches only if it is identical to the request's `Origin` header.",
    example: 'https://app.example.com',
  }),
};

type Specs = typeof ACCESS_SPECS;

/** Returns the access settings with `prefix` before each name, as in `POLICY_API_TOKENS`. */
export function accessSchema<P extends string>(prefix: P) {
  return prefixed(prefix, ACCESS_SPECS) as { [K in keyof Specs as `${P}_${K}`]: Specs[K] };
}

/** Returns the members with `prefix` before each name. */
export function prefixed(prefix: string, members: object): Values {
  const entries = Object.entries(members).map(([name, member]) => [`${prefix}_${name}`, member]);
  return Object.fromEntries(entries);
}

/** Values of the access settings by short name, such as `API_TOKENS` for `POLICY_API_TOKENS`. */
export type AccessValues = Pick<CleanedEnv<Specs>, keyof Specs>;

export function accessValues(prefix: string, settings: Values): AccessValues {
  const entries = Object.keys(ACCESS_SPECS).map((name) => [name, settings[`${prefix}_${name}`]]);
  return Object.fromEntries(entries) as AccessValues;
}

export const callerTokens = ({ API_TOKENS = [], API_TOKENS_FILE = [] }: AccessValues) =>
  API_TOKENS.concat(API_TOKENS_FILE);

export const metricsTokens = ({ METRICS_TOKEN = [], METRICS_TOKEN_FILE = [] }: AccessValues) =>
  METRICS_TOKEN.concat(METRICS_TOKEN_FILE);

export function tlsOf(values: AccessValues): Tls | undefined {
  const { TLS_CERT_FILE: cert, TLS_KEY_FILE: key, TLS_CLIENT_CA_FILE: clientCa } = values;
  return cert === undefined || key === undefined ? undefined : { cert, key, clientCa };
}

/**
 * Returns messages about conflicting tokens, keyed by setting. No message contains a token. Also
 * checks token files when they are reloaded.
 */
export function tokenSettingConflicts(prefix: string, values: AccessValues) {
  const conflicts: Record<string, string> = {};
  const tokens = callerTokens(values);
  const texts = new Set(tokens.map(({ text }) => text));
  for (const name of ['METRICS_TOKEN', 'METRICS_TOKEN_FILE'] as const)
    if (values[name]?.some(({ text }) => texts.has(text)))
      conflicts[`${prefix}_${name}`] = 'must not contain a token that is also a caller token';
  if (findClash(tokens) !== undefined)
    conflicts[`${prefix}_API_TOKENS_FILE`] =
      `must not assign a token from ${prefix}_API_TOKENS to a different caller`;
  return conflicts;
}

/** Returns messages about conflicting access settings, keyed by setting. */
export function accessConflicts(prefix: string, env: Environment, settings: Values) {
  const cert = `${prefix}_TLS_CERT_FILE`;
  const key = `${prefix}_TLS_KEY_FILE`;
  const clientCa = `${prefix}_TLS_CLIENT_CA_FILE`;
  const missing = (name: string) => env[name] === undefined;
  const values = accessValues(prefix, settings);
  const conflicts = tokenSettingConflicts(prefix, values);
  if (!missing(cert) && missing(key)) conflicts[cert] = `needs ${key} as well`;
  if (!missing(key) && missing(cert)) conflicts[key] = `needs ${cert} as well`;
  if (!missing(clientCa) && missing(cert)) conflicts[clientCa] = `needs ${cert} and ${key} as well`;
  const tls = tlsOf(values);
  const conflict = tls && keyConflict(prefix, tls);
  if (conflict !== undefined) conflicts[key] = conflict;
  return conflicts;
}
