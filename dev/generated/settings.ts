import * as gateway from '@gatehouse/example-gateway/config';
import * as executor from '@gatehouse/executor-service/config';
import * as policy from '@gatehouse/policy-service/config';
import { accessSchema, commonSettings, telemetrySettings } from '@gatehouse/service';

interface Spec {
  readonly default?: unknown;
  readonly desc?: string;
  readonly example?: string;
  readonly _parse: unknown;
}
export type Specs = Readonly<Record<string, Spec>>;

export const OWN = {
  policy: { ...policy.ownSettings, ...accessSchema('POLICY') },
  executor: { ...executor.ownSettings, ...accessSchema('HTTP_EXECUTOR') },
  gateway: gateway.settings,
} satisfies Readonly<Record<string, Specs>>;
export const SHARED: Specs = { ...commonSettings, ...telemetrySettings };

/** Matches environment variables whose values docker-compose.yml sets explicitly. */
const SET_BY_COMPOSE = /_BIND_ADDR$|_ALLOWED_(?:HOSTS|NETWORKS)$|_STORE$|_URL$/;

/** Returns the default value of an environment variable as text, or `''` if it has none. */
function textOf(value: unknown): string {
  if (value === undefined || value instanceof Set) return '';
  if (Array.isArray(value)) return value.join(',');
  if (typeof value !== 'object' || value === null) return String(value);
  return 'host' in value && 'port' in value ? `${value.host}:${value.port}` : '';
}

const code = (text: string, otherwise: string) => (text === '' ? otherwise : `\`${text}\``);

/** Shortens texts for a table: `a whole number from 1 to 5` becomes `1 to 5`. */
function acceptedBy({ _parse: parse }: Spec): string {
  const { accepts = '' } = parse as { accepts?: string };
  if (accepts.startsWith('one of '))
    return accepts.slice(7).replaceAll(/[^, ]+/g, (word) => `\`${word}\``);
  return accepts.replace(/^a (?:whole )?number from /, '');
}

export const table = (specs: Specs) => [
  '| Name | Default | Accepts | Meaning |',
  '|---|---|---|---|',
  ...Object.entries(specs).map(([name, spec]) => {
    if (spec.desc === undefined) throw new Error(`${name} has no \`desc\`.`);
    return `| \`${name}\` | ${code(textOf(spec.default), 'none')} | ${acceptedBy(spec)} | ${spec.desc} |`;
  }),
];

export const passedOn = (service: keyof typeof OWN, shared = SHARED) =>
  Object.keys({ ...OWN[service], ...shared })
    .filter((name) => !SET_BY_COMPOSE.test(name))
    .map((name) => `${name}:`);

/** Returns a line for each setting, such as `# POLICY_PROFILE_FILE=profile.yaml`. */
export const examples = (specs: Specs) =>
  Object.entries(specs)
    .filter(([name]) => !name.endsWith('_BIND_ADDR'))
    .map(([name, spec]) => `# ${name}=${spec.example ?? textOf(spec.default)}`);
