import { DECISIONS, SandboxDescription, type Section } from '@gatehouse/contracts';
import * as gateway from '@gatehouse/example-gateway/config';
import * as executor from '@gatehouse/executor-service/config';
import { describeSandbox } from '@gatehouse/executor-service/sandbox';
import { defaultProfile, type Profile, RULE_TABLE } from '@gatehouse/policy';
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

/** Rows of the default policy that need more words than a list of values. */
function inWords({ spend, connector }: Profile): { readonly [S in Section]?: readonly string[] } {
  const { limit_major_units: limit, ceiling_major_units: ceiling } = spend;
  return {
    spend: [
      `up to the user's limit (${limit} major units if the user has none)`,
      `more than the user's limit, but at most ${ceiling} major units`,
      `more than ${ceiling} major units, even if the user's limit is higher`,
    ],
    connector: [
      `exactly ${list(connector.allow)}`,
      'any other, or none',
      `${list(connector.deny)}, alone or followed by a path, query, fragment, port or \`@\``,
    ],
  };
}

function defaultPolicy(): string[] {
  const words = inWords(defaultProfile);
  const rows = RULE_TABLE.map(({ section, show }) => {
    const byOutcome = Map.groupBy(show(defaultProfile[section]), ([, outcome]) => outcome);
    const lists = DECISIONS.map((outcome) =>
      list((byOutcome.get(outcome) ?? []).map(([what]) => what)),
    );
    return [`\`${section}\``, ...(words[section] ?? lists)];
  });
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
