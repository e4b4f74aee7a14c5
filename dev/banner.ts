import { isIP } from 'node:net';
import type { Listening } from './lifeline.ts';

type Env = NodeJS.ProcessEnv;
export type ServiceName = 'policy' | 'executor';

const PREFIX = { policy: 'POLICY', executor: 'HTTP_EXECUTOR' } as const;

const CHECK =
  '{"spend":{"amount_minor_units":8750,"currency":"EUR"},"pii":{"categories":[]},"legal":{"flags":[]}}';

/** Returns the text that `pnpm start` prints: the services' addresses and sample commands. */
export function banner(
  places: Readonly<Partial<Record<ServiceName, Listening>>>,
  env: Env,
): string {
  const lines = Object.entries(places).map(
    ([name, place]) => `  ${name.padEnd(8)}  ${origin(place)}  (listening on ${bound(place)})`,
  );
  const { policy, executor } = places;
  const open = (name: ServiceName) =>
    places[name]?.secure === false &&
    env[`${PREFIX[name]}_API_TOKENS`] === undefined &&
    env[`${PREFIX[name]}_API_TOKENS_FILE`] === undefined;
  const commands = [
    policy && open('policy') && curl(`${origin(policy)}/policy/check`, CHECK),
    executor && open('executor') && `  curl -s ${origin(executor)}/sandbox\n`,
    '  npx -y pnpm@12 demo\n',
  ].filter(Boolean);
  const notes = Object.keys(places).length > 1 ? bindingNote(env) : '';
  return `\nReady.\n\n${lines.join('\n')}\n${notes}\nTry:\n\n${commands.join('\n')}\nPress Ctrl-C to stop.\n\n`;
}

/** Says whether the executor requires decisions, if a service is set up for them. */
function bindingNote({ POLICY_SIGNING_KEY_FILE: key, HTTP_EXECUTOR_DECISION_KEYS: keys }: Env) {
  if (keys !== undefined) return '  The executor sends only what the policy service has allowed.\n';
  if (key === undefined) return '';
  return '  The policy service signs its decisions, but the executor does not require them: set HTTP_EXECUTOR_DECISION_KEYS.\n';
}

const curl = (url: string, body: string) =>
  `  curl -s ${url} \\\n    -H 'content-type: application/json' -d '${body}'\n`;

/** Replaces a wildcard address such as `0.0.0.0` with the loopback address. */
const loopbackOf = (address: string) =>
  ({ '0.0.0.0': '127.0.0.1', '::': '::1' })[address] ?? address;

const origin = ({ address, port, secure }: Listening) =>
  `${secure ? 'https' : 'http'}://${bound({ address: loopbackOf(address), port })}`;

const bound = ({ address, port }: Pick<Listening, 'address' | 'port'>) =>
  isIP(address) === 6 ? `[${address}]:${port}` : `${address}:${port}`;
