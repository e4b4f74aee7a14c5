import type { Listening } from './lifeline.ts';

const CHECK =
  '{"spend":{"amount_minor_units":8750,"currency":"EUR"},"pii":{"categories":[]},"legal":{"flags":[]}}';

/** Where the services listen, and what to try first; `env` says which ask for a token. */
export function banner(policy: Listening, executor: Listening, env: NodeJS.ProcessEnv): string {
  const action = JSON.stringify({ method: 'GET', url: `${origin(policy)}/healthz` });
  return `
Gatehouse is up.

  policy    ${origin(policy)}  (listening on ${bound(policy)})
  executor  ${origin(executor)}  (listening on ${bound(executor)})

Try a check, an execution, and a whole plan:

  curl -s ${origin(policy)}/policy/check ${headers('POLICY', env)} \\
    -d '${CHECK}'

  curl -s ${origin(executor)}/execute ${headers('HTTP_EXECUTOR', env)} \\
    -d '${action}'

  npx -y pnpm@12 demo

Ctrl-C stops both.

`;
}

/** What curl sends; never a token itself. */
function headers(prefix: string, env: NodeJS.ProcessEnv): string {
  const type = "-H 'content-type: application/json'";
  const guarded = env[`${prefix}_API_TOKENS`] || env[`${prefix}_API_TOKENS_FILE`];
  return guarded ? `${type} -H "authorization: Bearer $TOKEN"` : type;
}

/** Reached from this machine: a wildcard address over loopback. */
function origin({ address, port, secure }: Listening): string {
  const loopback = { '0.0.0.0': '127.0.0.1', '::': '::1' }[address] ?? address;
  return new URL(`${secure ? 'https' : 'http'}://${bound({ address: loopback, port })}`).origin;
}

function bound({ address, port }: Pick<Listening, 'address' | 'port'>): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}
