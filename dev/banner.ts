import type { Listening } from './lifeline.ts';

const CHECK =
  '{"spend":{"amount_minor_units":8750,"currency":"EUR"},"pii":{"categories":[]},"legal":{"flags":[]}}';

/** Where the services listen, and what to try first. */
export function banner(policy: Listening, executor: Listening): string {
  const action = JSON.stringify({ method: 'GET', url: `${origin(policy)}/healthz` });
  return `
Gatehouse is up.

  policy    ${origin(policy)}  (listening on ${bound(policy)})
  executor  ${origin(executor)}  (listening on ${bound(executor)})

Try a check, an execution, and a whole plan:

  curl -s ${origin(policy)}/policy/check -H 'content-type: application/json' \\
    -d '${CHECK}'

  curl -s ${origin(executor)}/execute -H 'content-type: application/json' \\
    -d '${action}'

  npx -y pnpm@12 demo

Ctrl-C stops both.

`;
}

/** Reached from this machine: a wildcard address over loopback. */
function origin({ address, port, secure }: Listening): string {
  const loopback = { '0.0.0.0': '127.0.0.1', '::': '::1' }[address] ?? address;
  return new URL(`${secure ? 'https' : 'http'}://${bound({ address: loopback, port })}`).origin;
}

function bound({ address, port }: Pick<Listening, 'address' | 'port'>): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}
