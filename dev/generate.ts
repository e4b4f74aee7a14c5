// `pnpm generate` writes what docs, compose, manifests and packages repeat of the code:
// blocks between `generated: …` and `end`, versions and ports; openapi/ and the profiles' schema. With `--check`
// it writes nothing and fails when something is stale or names a setting that does not exist.

import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OUTCOMES, ProfileFile, Sandbox } from '@gatehouse/contracts';
import * as gateway from '@gatehouse/example-gateway/config';
import * as executor from '@gatehouse/executor-service/config';
import { DEFAULT_SANDBOX } from '@gatehouse/executor-service/sandbox';
import { defaultProfile } from '@gatehouse/policy-engine';
import * as policy from '@gatehouse/policy-service/config';
import { accessSchema, commonSettings, telemetrySettings } from '@gatehouse/service';
import { openApiDocuments } from './openapi.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** What a setting says of itself; see `packages/service/src/settings.ts`. */
interface Spec {
  readonly default?: unknown;
  readonly desc?: string;
  readonly example?: string;
  readonly _parse: unknown;
}
type Specs = Readonly<Record<string, Spec>>;

const OWN: Readonly<Record<string, Specs>> = {
  policy: { ...policy.ownSettings, ...accessSchema('POLICY') },
  executor: { ...executor.ownSettings, ...accessSchema('HTTP_EXECUTOR') },
  gateway: { ...gateway.ownSettings, ...accessSchema('GATEWAY') },
};
const SHARED: Specs = { ...commonSettings, ...telemetrySettings };

/** Compose publishes the ports itself, and has its own values for these. */
const SET_BY_COMPOSE = /_BIND_ADDR$|_ALLOWED_(?:HOSTS|NETWORKS)$|_URL$/;

/** A default as it would be written in the environment; empty when there is none. */
function textOf(value: unknown): string {
  if (value === undefined || value instanceof Set) return '';
  if (Array.isArray(value)) return value.join(',');
  if (typeof value !== 'object' || value === null) return String(value);
  return 'host' in value && 'port' in value ? `${value.host}:${value.port}` : '';
}

const code = (text: string, otherwise: string) => (text === '' ? otherwise : `\`${text}\``);

/** `one of a, b` → `a`, `b`; `a whole number from 1 to 5` → 1 to 5. */
function acceptedBy({ _parse: parse }: Spec): string {
  const { accepts = '' } = parse as { accepts?: string };
  if (accepts.startsWith('one of '))
    return accepts.slice(7).replaceAll(/[^, ]+/g, (word) => `\`${word}\``);
  return accepts.replace('a whole number from ', '').replace('a number from ', '');
}

const table = (specs: Specs) => [
  '| Name | Default | Accepts | Meaning |',
  '|---|---|---|---|',
  ...Object.entries(specs).map(([name, spec]) => {
    if (spec.desc === undefined) throw new Error(`${name} has no \`desc\`.`);
    return `| \`${name}\` | ${code(textOf(spec.default), 'none')} | ${acceptedBy(spec)} | ${spec.desc} |`;
  }),
];

const passedOn = (service: string, shared = SHARED) =>
  Object.keys({ ...OWN[service], ...shared })
    .filter((name) => !SET_BY_COMPOSE.test(name))
    .map((name) => `${name}:`);

const examples = (specs: Specs) =>
  Object.entries(specs)
    .filter(([name]) => !name.endsWith('_BIND_ADDR'))
    .map(([name, spec]) => `# ${name}=${spec.example ?? textOf(spec.default)}`);

/** The numbers that `GET /sandbox` shows, with the settings that change them. */
function budgets(): string[] {
  const { limits, retry } = Sandbox.properties;
  const { methods: _, ...delays } = retry.properties;
  const values: Readonly<Record<string, unknown>> = {
    ...DEFAULT_SANDBOX.limits,
    ...DEFAULT_SANDBOX.retry,
  };
  const rows = Object.entries({ ...limits.properties, ...delays }).map(([name, schema]) => {
    const setting = `HTTP_EXECUTOR_${name.toUpperCase()}`;
    const changedBy = setting in executor.ownSettings ? ` \`${setting}\` ` : ' ';
    return `| \`${name}\` | ${values[name]} | ${schema.description} |${changedBy}|`;
  });
  return ['| Name | Default | Meaning | Setting |', '|---|---|---|---|', ...rows];
}

const list = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');

/** What the policy service judges by. */
function defaultPolicy(): string[] {
  const { spend, pii, legal, connector } = defaultProfile;
  const byOutcome = (outcomes: Readonly<Record<string, string>>) =>
    OUTCOMES.map((outcome) =>
      list(Object.keys(outcomes).filter((label) => outcomes[label] === outcome)),
    );
  const { limit_major_units: limit, ceiling_major_units: ceiling } = spend;
  const rows = [
    [
      '`spend`',
      `up to \`user_limit_minor_units\`, or without one up to ${limit} major units`,
      `above that, up to ${ceiling} major units`,
      `above ${ceiling} major units of the currency, whatever the user's limit`,
    ],
    ['`pii.categories`', ...byOutcome(pii.categories)],
    ['`legal.flags`', ...byOutcome(legal.flags)],
    [
      '`connector.scope`',
      `exactly ${list(connector.allow)}`,
      'any other, or none',
      `${list(connector.deny)}, also with a path, query, fragment, port or \`@\` after it`,
    ],
  ];
  const head = ['Section', 'Allowed', 'Needs approval', 'Denied'];
  return [head, ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .toSpliced(1, 0, '|---|---|---|---|');
}

const BLOCKS: Readonly<Record<string, string[]>> = {
  'settings of the policy service': table(policy.ownSettings),
  'settings of the executor': table(executor.ownSettings),
  'settings of the gateway': table(gateway.ownSettings),
  'settings of both services': table({ ...accessSchema('*'), ...commonSettings }),
  'settings of telemetry': table(telemetrySettings),
  'budgets of the executor': budgets(),
  'the default policy': defaultPolicy(),
  'what the policy service is passed': passedOn('policy'),
  'what the executor is passed': passedOn('executor'),
  'what the gateway is passed': passedOn('gateway', commonSettings),
  'examples of the policy service': examples(OWN.policy ?? {}),
  'examples of the executor': examples(OWN.executor ?? {}),
  'examples of the gateway': examples(OWN.gateway ?? {}),
  'examples of both services': examples(SHARED),
};

const BLOCK =
  /^( *)((?:<!--|#) generated: (.*?)(?: -->)?)\n(?:.*\n)*? *((?:<!--|#) end(?: -->)?)$/gm;

function fillBlocks(text: string): string {
  return text.replace(BLOCK, (_, indent: string, begin: string, name: string, end: string) => {
    const lines = BLOCKS[name];
    if (lines === undefined) throw new Error(`There is no block \`${name}\`.`);
    return [begin, ...lines, end].map((line) => indent + line).join('\n');
  });
}

/** Facts outside of blocks: what follows each of these patterns' lookbehind. */
const FACTS: readonly (readonly [pattern: RegExp, value: string | number])[] = [
  [/(?<=^ {2}"version": ")[^"]+/gm, version],
  [/(?<=image: gatehouse-(?:policy|executor):|newTag: |^ARG VERSION=)\d[\w.-]*/gm, version],
  ...(['policy', 'executor'] as const).map((service) => {
    const settings = { policy, executor }[service].readConfig({});
    return [portsOf(service), settings.bind.port] as const;
  }),
];

/** Where the port of a service stands: its manifest, and URLs, binds and mappings elsewhere. */
function portsOf(service: 'policy' | 'executor'): RegExp {
  const { prefix, paths } = {
    policy: { prefix: 'POLICY', paths: 'policy/|healthz|orders' },
    executor: { prefix: 'HTTP_EXECUTOR', paths: 'execute|sandbox' },
  }[service];
  const hostPort = `${service.toUpperCase()}_PORT`;
  const before = [
    `http://(?:gatehouse-)?${service}:`,
    `tasks\\.${service}:`,
    `targets: \\[${service}:`,
    `frontend ${service}\\n {2}bind :`,
    `\\$\\{${hostPort}:-(?:\\d+\\}:)?`,
    `${hostPort}=`,
    `${prefix}_BIND_ADDR, value: "0\\.0\\.0\\.0:`,
    `${prefix}_BIND_ADDR=(?:0\\.0\\.0\\.0:|.*\\nEXPOSE )`,
    `${service} on `,
    `name: gatehouse-${service}\\n(?:.*\\n)*?.*(?:containerPort: |io/port: "|name: http, port: )`,
  ];
  const between = `(?<=target: |published: )\\d+(?=.*# ${service})`;
  const url = `(?<=localhost:)\\d+(?=/(?:${paths}))`;
  return new RegExp(`(?<=${before.join('|')})\\d+|${between}|${url}`, 'g');
}

const FILES = globSync(
  [
    '{README.md,.env.example,docker-compose.yml}',
    'Dockerfile*',
    'docs/*.md',
    'deploy/{kubernetes,swarm,prometheus}/**/*.{md,yml,yaml,cfg}',
    '{packages,services,examples}/*/{package.json,Dockerfile,README.md}',
  ],
  { cwd: ROOT, exclude: ['**/node_modules'] },
);

/** They look like our settings: of the gateway, compose, the stack or code, or misspelt. */
const FOREIGN = /^POLICY_(?:PORT|TOKEN|REPLICAS|PATHS|API_TOKEN|URL)$|^GATEWAY_(?:PORT|URL)$/;

const unknownSettings = (text: string) =>
  [...text.matchAll(/\b(?:POLICY|HTTP_EXECUTOR|GATEWAY)_[A-Z_]*[A-Z]\b/g)]
    .map(([name]) => name)
    .filter((name) => !FOREIGN.test(name))
    .filter((name) => !Object.values(OWN).some((specs) => name in specs));

const textIn = (file: string) =>
  existsSync(join(ROOT, file)) ? readFileSync(join(ROOT, file), 'utf8') : '';

const filled = (file: string) =>
  FACTS.reduce(
    (text, [pattern, value]) => text.replace(pattern, String(value)),
    fillBlocks(textIn(file)),
  );

const wanted = Object.entries({
  ...Object.fromEntries(FILES.map((file) => [file, filled(file)])),
  'packages/contracts/profile.schema.json': profileSchema(),
  ...(await openApiDocuments()),
});
/** Without the words of our validator. */
function profileSchema(): string {
  const own = (key: string, value: unknown) => (key.startsWith('x-') ? undefined : value);
  return `${JSON.stringify(ProfileFile, own, 2)}\n`;
}

const check = process.argv.includes('--check');
const complaints = wanted.flatMap(([file, text]) => {
  const unknown = unknownSettings(text).map((name) => `${file} names ${name}, no setting.`);
  if (text === textIn(file)) return unknown;
  if (check) return [`${file} is stale: run \`npx -y pnpm@12 generate\`.`, ...unknown];
  writeFileSync(join(ROOT, file), text);
  return unknown;
});
for (const complaint of complaints) process.stderr.write(`${complaint}\n`);
if (complaints.length > 0) process.exitCode = 1;
else console.log(`${wanted.length} files agree with the code.`);
