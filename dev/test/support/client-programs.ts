/** What a user of a generated client writes; each prints a decision and three outcomes. */

const REQUEST = `{
  spend: { amount_minor_units: 8750, currency: 'EUR' },
  pii: { categories: ['basic_contact'] },
  legal: { flags: [] },
  connector: null,
}`;

const SCHEMA = "{ type: 'object', required: ['status'], properties: { status: { const: 'ok' } } }";

/**
 * Shared by the programs in TypeScript. The two errors expected in it are what it tests: the
 * types of the client have to refuse these values, and without an error `tsc` fails.
 */
const TYPED = `
const { POLICY_URL = '', EXECUTOR_URL = '', TOKEN = '' } = process.env;
const url = \`\${POLICY_URL}/healthz\`;
const request: CheckRequest = ${REQUEST};
const action: ActionArguments = { method: 'GET', url, headers: { accept: '*/*' }, response_schema: ${SCHEMA} };
// @ts-expect-error: 'requires-review' is no legal flag; 'requires_review' is.
export const misspelt: CheckRequest = { legal: { flags: ['requires-review'] } };
// @ts-expect-error: 'BREW' is no method of HTTP.
export const brew: ActionArguments = { method: 'BREW', url };

function summary(answer: ExecuteAnswer): string {
  if (answer.outcome === 'success') return \`\${answer.status} \${JSON.stringify(answer.body)}\`;
  if (answer.outcome === 'dry_run') return \`\${answer.would_send && answer.addresses.length > 0}\`;
  return \`\${answer.error} \${answer.violations?.[0]?.pointer}\`;
}
`;

const OPENAPI_FETCH = `
import createClient from 'openapi-fetch';
import type { components, paths as ExecutorPaths } from './executor.js';
import type { components as policyComponents, paths as PolicyPaths } from './policy.js';

type CheckRequest = policyComponents['schemas']['CheckRequest'];
type ActionArguments = components['schemas']['ActionArguments'];
type ExecuteAnswer = components['schemas']['ExecuteAnswer'];
${TYPED}
const policy = createClient<PolicyPaths>({ baseUrl: POLICY_URL });
const checked = await policy.POST('/policy/check', { body: request });
if (checked.error) throw new Error(checked.error.detail);
console.log(checked.data.decision, checked.data.rules[0]?.rule);

const executor = createClient<ExecutorPaths>({
  baseUrl: EXECUTOR_URL,
  headers: { authorization: \`Bearer \${TOKEN}\` },
});
async function execute(body: ActionArguments, dry_run = false): Promise<string> {
  const { data, error } = await executor.POST('/execute', { body, params: { query: { dry_run } } });
  return error ? \`\${error.code} \${error.errors?.[0]?.pointer}\` : summary(data);
}
console.log(await execute(action));
console.log(await execute(action, true));
console.log(await execute({ ...action, response_schema: { required: ['absent'] } }));
console.log(await execute({ ...action, headers: { host: 'a' } }));
`;

const HEY_API = `
import { createClient as executorAt } from './hey-executor/client/index.js';
import { execute as send, type ActionArguments, type ExecuteAnswer } from './hey-executor/index.js';
import { createClient as policyAt } from './hey-policy/client/index.js';
import { checkPolicy, type CheckRequest } from './hey-policy/index.js';
${TYPED}
const policy = policyAt({ baseUrl: POLICY_URL });
const checked = await checkPolicy({ client: policy, body: request, throwOnError: true });
console.log(checked.data.decision, checked.data.rules[0]?.rule);

const executor = executorAt({ baseUrl: EXECUTOR_URL, auth: () => TOKEN });
async function execute(body: ActionArguments, dry_run = false): Promise<string> {
  const { data, error } = await send({ client: executor, body, query: { dry_run } });
  if (data) return summary(data);
  return error && 'code' in error ? \`\${error.code} \${error.errors?.[0]?.pointer}\` : 'broken';
}
console.log(await execute(action));
console.log(await execute(action, true));
console.log(await execute({ ...action, response_schema: { required: ['absent'] } }));
console.log(await execute({ ...action, headers: { host: 'a' } }));
`;

/** Programs in TypeScript, by the name of their file. */
export const TYPESCRIPT = { 'openapi-fetch.ts': OPENAPI_FETCH, 'hey-api.ts': HEY_API };

export const PYTHON = `
import json
from os import environ

from executor_client import AuthenticatedClient
from executor_client.api.executor import execute
from executor_client.models import (
    ActionArguments, DryRun, FailureOutcome, Method, Problem, RequestHeaders, ResponseSchema,
    SuccessOutcome,
)
from policy_client import Client
from policy_client.api.policy import check_policy
from policy_client.models import CheckRequest, CheckResponse, Legal, Pii, PiiCategory, Spend

policy = Client(base_url=environ["POLICY_URL"])
request = CheckRequest(
    spend=Spend(amount_minor_units=8750, currency="EUR"),
    pii=Pii(categories=[PiiCategory.BASIC_CONTACT]),
    legal=Legal(flags=[]),
    connector=None,
)
checked = check_policy.sync(client=policy, body=request)
assert isinstance(checked, CheckResponse)
print(checked.decision, checked.rules[0].rule)

executor = AuthenticatedClient(base_url=environ["EXECUTOR_URL"], token=environ["TOKEN"])


def send(schema=None, headers=None, dry_run=False):
    action = ActionArguments(
        method=Method.GET,
        url=environ["POLICY_URL"] + "/healthz",
        headers=RequestHeaders.from_dict(headers or {"accept": "*/*"}),
        response_schema=ResponseSchema.from_dict(schema or {"type": "object"}),
    )
    answer = execute.sync(client=executor, body=action, dry_run=dry_run)
    match answer:
        case SuccessOutcome():
            return f"{answer.status} {json.dumps(answer.body, separators=(',', ':'))}"
        case DryRun():
            return str(answer.would_send and len(answer.addresses) > 0).lower()
        case FailureOutcome():
            return f"{answer.error} {answer.violations[0].pointer}"
        case Problem():
            return f"{answer.code} {answer.errors[0].pointer}"


print(send())
print(send(dry_run=True))
print(send(schema={"required": ["absent"]}))
print(send(headers={"host": "a"}))
`;

export const PRINTED = [
  'allow spend_limit',
  '200 {"status":"ok"}',
  'true',
  'SchemaValidationFailed ',
  'InvalidAction /headers/host',
];
