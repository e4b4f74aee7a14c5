import type { Service } from './services.ts';

const CHECK =
  '{"spend":{"amount_minor_units":8750,"currency":"EUR"},"pii":{"categories":[]},"legal":{"flags":[]}}';

/** Where the services listen, and what to try first. */
export function banner(services: readonly Service[]): string {
  const [policy, executor] = services.map(({ url }) => url?.origin ?? '');
  const lines = services.map(
    ({ name, bind, url }) => `  ${name.padEnd(9)} ${url?.origin}  (listening on ${bind})`,
  );
  const action = JSON.stringify({ method: 'GET', url: `${policy}/healthz` });
  return `
Gatehouse is up.

${lines.join('\n')}

Try a check, an execution, and a whole plan:

  curl -s ${policy}/policy/check -H 'content-type: application/json' \\
    -d '${CHECK}'

  curl -s ${executor}/execute -H 'content-type: application/json' \\
    -d '${action}'

  npx -y pnpm@12 demo

Ctrl-C stops both.

`;
}
