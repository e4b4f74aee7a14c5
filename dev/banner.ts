import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import type { Listening } from './lifeline.ts';

export type ServiceName = 'policy' | 'executor';

const PREFIX = { policy: 'POLICY', executor: 'HTTP_EXECUTOR' } as const;

const CHECK =
  '{"spend":{"amount_minor_units":8750,"currency":"EUR"},"pii":{"categories":[]},"legal":{"flags":[]}}';

/** Says that the services are ready, and what to try first, with the access that `env` asks for. */
export function banner(
  places: Readonly<Partial<Record<ServiceName, Listening>>>,
  env: NodeJS.ProcessEnv,
): string {
  const { policy, executor } = places;
  const lines = Object.entries(places).map(
    ([name, place]) => `  ${name.padEnd(8)}  ${origin(place)}  (listening on ${bound(place)})`,
  );
  return `
Ready.

${lines.join('\n')}

Try:
${policy === undefined ? '' : curl('policy', policy, env, '/policy/check', CHECK)}${executor === undefined ? '' : tryExecutor(executor, policy, env)}
  npx -y pnpm@12 demo

Ctrl-C ends it.

`;
}

/** An execution where the defaults admit one, else what the sandbox admits. */
function tryExecutor(place: Listening, policy: Listening | undefined, env: NodeJS.ProcessEnv) {
  const known =
    policy !== undefined && !policy.secure && /\/\/(?:127\.|\[::1\])/.test(origin(policy));
  if (!known || env.HTTP_EXECUTOR_ALLOWED_HOSTS !== undefined)
    return curl('executor', place, env, '/sandbox');
  const action = JSON.stringify({ method: 'GET', url: `${origin(policy)}/healthz` });
  return curl('executor', place, env, '/execute', action);
}

/** A command for a POSIX shell; never a token itself. */
function curl(
  name: ServiceName,
  place: Listening,
  env: NodeJS.ProcessEnv,
  path: string,
  body?: string,
): string {
  const set = (setting: string) => env[`${PREFIX[name]}_${setting}`];
  const { url, options } = reached(place, set('TLS_CERT_FILE'));
  if (set('TLS_CLIENT_CA_FILE'))
    options.push(`--cert "\${CERT:?a certificate of these authorities}" --key "\${KEY:?its key}"`);
  const tokens = bearer(PREFIX[name], set('API_TOKENS'), set('API_TOKENS_FILE'));
  if (tokens !== undefined) options.push(tokens);
  if (body !== undefined) options.push(`-H 'content-type: application/json' -d '${body}'`);
  return `\n  ${[`curl -s ${url}${path}`, ...options].join(' \\\n    ')}\n`;
}

/** The shell takes the token from its file, or from `TOKEN`, which it asks for. */
function bearer(prefix: string, tokens?: string, file?: string): string | undefined {
  if (tokens !== undefined)
    return `-H "authorization: Bearer \${TOKEN:?one of ${prefix}_API_TOKENS, without its name}"`;
  if (file === undefined) return undefined;
  return `-H "authorization: Bearer $(sed 's/^[^:]*://;q' ${quoted(file)})"`;
}

/** The URL whose host the certificate has, and how curl gets there. */
function reached(place: Listening, certFile: string | undefined) {
  const options: string[] = [];
  if (!place.secure || certFile === undefined) return { url: origin(place), options };
  options.push(`--cacert ${quoted(certFile)}`);
  const certificate = new X509Certificate(readFileSync(certFile));
  const address = loopbackOf(place.address);
  if (certificate.checkIP(address)) return { url: origin(place), options };
  const [, named = 'localhost'] = /\bDNS:([^,\s*]+)/.exec(certificate.subjectAltName ?? '') ?? [];
  const host = certificate.checkHost('localhost') ? 'localhost' : named;
  options.push(`--resolve '${host}:${place.port}:${address}'`);
  return { url: `https://${host}:${place.port}`, options };
}

const quoted = (path: string) => `'${resolve(path).replaceAll("'", "'\\''")}'`;

/** Reached from this machine: a wildcard address over loopback. */
const loopbackOf = (address: string) =>
  ({ '0.0.0.0': '127.0.0.1', '::': '::1' })[address] ?? address;

function origin({ address, port, secure }: Listening): string {
  return new URL(`${secure ? 'https' : 'http'}://${bound({ address: loopbackOf(address), port })}`)
    .origin;
}

function bound({ address, port }: Pick<Listening, 'address' | 'port'>): string {
  return isIP(address) === 6 ? `[${address}]:${port}` : `${address}:${port}`;
}
