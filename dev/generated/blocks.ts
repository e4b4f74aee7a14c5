import { DECISIONS, SandboxDescription } from '@gatehouse/contracts';
import * as gateway from '@gatehouse/example-gateway/config';
import * as executor from '@gatehouse/executor-service/config';
import { describeSandbox } from '@gatehouse/executor-service/sandbox';
import { defaultProfile } from '@gatehouse/policy';
import * as policy from '@gatehouse/policy-service/config';
import { accessSchema, commonSettings, telemetrySettings } from '@gatehouse/service';
import { examples, OWN, passedOn, SHARED, table } from './settings.ts';

/** Returns a Markdown table of the limits and delays that `GET /sandbox` returns. */
function budgets(): string[] {
  const { limits, retry } = SandboxDescription.properties;
  const { methods: _, ...delays } = retry.properties;
  const defaults = describeSandbox(executor.readConfig({}));
  const values: Readonly<Record<string, unknown>> = { ...defaults.limits, ...defaults.retry };
  const rows = Object.entries({ ...limits.properties, ...delays }).map(([name, schema]) => {
    const setting = `HTTP_EXECUTOR_${name.toUpperCase()}`;
    const changedBy = setting in executor.ownSettings ? ` \`${setting}\` ` : ' ';
    return `| \`${name}\` | ${values[name]} | ${schema.description} |${changedBy}|`;
  });
  return ['| Name | Default | Meaning | Setting |', '|---|---|---|---|', ...rows];
}

const list = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');

function defaultPolicy(): string[] {
  const { spend, pii, legal, connector } = defaultProfile;
  const byOutcome = (outcomes: Readonly<Record<string, string>>) =>
    DECISIONS.map((outcome) =>
      list(Object.keys(outcomes).filter((label) => outcomes[label] === outcome)),
    );
  const { limit_major_units: limit, ceiling_major_units: ceiling } = spend;
  const rows = [
    [
      '`spend`',
      `up to the user's limit (${limit} major units if the user has none)`,
      `more than the user's limit, but at most ${ceiling} major units`,
      `more than ${ceiling} major units, even if the user's limit is higher`,
    ],
    ['`pii.categories`', ...byOutcome(pii.categories)],
    ['`legal.flags`', ...byOutcome(legal.flags)],
    [
      '`connector.scope`',
      `exactly ${list(connector.allow)}`,
      'any other, or none',
      `${list(connector.deny)}, alone or followed by a path, query, fragment, port or \`@\``,
    ],
  ];
  const head = ['Section', 'Allowed', 'Needs approval', 'Denied'];
  return [head, ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .toSpliced(1, 0, '|---|---|---|---|');
}

export const BLOCKS: Readonly<Record<string, string[]>> = {
  'settings of the policy service': table(policy.ownSettings),
  'settings of the executor': table(executor.ownSettings),
  'settings of the gateway': table(gateway.settings),
  'settings of both services': table({ ...accessSchema('*'), ...commonSettings }),
  'settings of telemetry': table(telemetrySettings),
  'budgets of the executor': budgets(),
  'the default policy': defaultPolicy(),
  'what the policy service is passed': passedOn('policy'),
  'what the executor is passed': passedOn('executor'),
  'what the gateway is passed': passedOn('gateway', {}),
  'examples of the policy service': examples(OWN.policy),
  'examples of the executor': examples(OWN.executor),
  'examples of the gateway': examples(OWN.gateway),
  'examples of both services': examples(SHARED),
};
