// PreToolUse hook for Claude Code. The policy service checks the scope of each tool call. Denied
// calls are blocked. If a call needs approval, Claude Code asks the user. Needs Node 22.19 and
// `@gatehouse/client`, installed here or in a folder above.

const { GATEHOUSE_POLICY_URL = 'http://127.0.0.1:8081', GATEHOUSE_POLICY_TOKEN } = process.env;

/**
 * Time limits for one check and for the whole hook. The `timeout` in Claude Code's settings is
 * longer.
 */
const POLICY_MS = 5_000;
const TOTAL_MS = 8_000;

/** Size limit for a tool call, which is larger than any call that a model writes. */
const MAX_CALL_BYTES = 16 * 1024 * 1024;

/** Facts stated for every call, because a hook cannot see what the call spends and touches. */
const FACTS = {
  spend: { amount_minor_units: 0, currency: 'EUR' },
  pii: { categories: [] },
  legal: { flags: [] },
};

/** On `allow` we return nothing, because `'allow'` would skip Claude Code's own permissions. */
const DECISIONS = { allow: undefined, require_approval: 'ask', deny: 'deny' };

/** Permission modes that ask the user. In other modes, Claude Code may continue without asking. */
const MODES_THAT_ASK = ['default', 'acceptEdits', 'plan'];

/** Replaces characters that control a terminal, or that reorder or hide text. */
const plain = (text) => text.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd');

// Only exit code 2 blocks the call, so it is the exit code until there is a decision.
process.exitCode = 2;

function block(reason) {
  try {
    process.stderr.write(`Blocked: ${plain(reason)}\n`, () => process.exit(2));
  } catch {
    process.exit(2);
  }
}

process.on('uncaughtException', (error) => block(`the hook failed (${error.code ?? error.name}).`));
process.stderr.on('error', () => process.exit(2));
setTimeout(() => block(`the hook took more than ${TOTAL_MS} ms.`), TOTAL_MS).unref();

/** Reads the tool call that Claude Code writes to stdin. */
async function readCall() {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    bytes += chunk.length;
    if (bytes > MAX_CALL_BYTES) throw new Error(`it has more than ${MAX_CALL_BYTES} bytes`);
    chunks.push(chunk);
  }
  const call = JSON.parse(Buffer.concat(chunks).toString());
  const { tool_name, tool_input, permission_mode: mode } = call;
  if (typeof tool_name !== 'string') throw new Error('it has no `tool_name`');
  return { readings: readingsOf(tool_name, tool_input), mode, requestId: requestIdOf(call) };
}

/**
 * Joins the ids of the session and the call, so that the lines in the policy service's log can be
 * found. Without usable ids, the client generates a request id.
 */
function requestIdOf({ session_id, tool_use_id }) {
  const id = [session_id, tool_use_id].filter(Boolean).join('/');
  return /^[\x21-\x7e]{1,128}$/.test(id) ? id : undefined;
}

/**
 * Returns the scopes of a tool: `mcp://<server>` and `mcp://<server>.<tool>` for a tool of an MCP
 * server, otherwise `mcp://tool.<name>`, followed by the host for WebFetch. Server names have no
 * dot, so only the tools of a server named `tool` could clash, and these have no scope of their own.
 *
 * `mcp__a__b__c` may be a tool of the server `a` or of `a__b`, so we check all possible readings,
 * and the strictest decision counts.
 */
function readingsOf(tool, input) {
  const [mcp, ...names] = tool.split('__');
  const cuts = mcp === 'mcp' ? [...names.keys()].slice(1) : [];
  const readings = cuts.map((at) => {
    const [server, name] = [names.slice(0, at), names.slice(at)].map((part) => part.join('__'));
    return server.toLowerCase() === 'tool'
      ? [`mcp://${server}`]
      : [`mcp://${server}`, `mcp://${server}.${name}`];
  });
  if (readings.length === 1 && names.every((name) => name !== '')) return readings;
  const host = tool === 'WebFetch' ? `.${hostOf(input.url)}` : '';
  return [...readings, [`mcp://tool.${tool.toLowerCase()}${host}`]];
}

/**
 * Returns the host with its port but without trailing dots, because `a.example.` is the host
 * `a.example`.
 */
function hostOf(url) {
  const { hostname, port } = new URL(url);
  return `${hostname.replace(/\.+$/, '')}${port && `:${port}`}`;
}

async function connect() {
  const { createPolicyClient } = await import('@gatehouse/client');
  const settings = { url: GATEHOUSE_POLICY_URL, token: GATEHOUSE_POLICY_TOKEN || undefined };
  return createPolicyClient({ ...settings, timeoutMs: POLICY_MS });
}

const codeOf = ({ explanation }) =>
  explanation.rules.find(({ rule }) => rule === 'connector_scope')?.code ?? 'scope_unknown';

/** If the profile lists a tool, its rule counts, unless the profile denies the whole server. */
async function decisionOn(policy, [scope, toolScope], requestId) {
  const ask = (scope) => policy.explain({ ...FACTS, connector: { scope } }, { requestId });
  const [server, tool] = await Promise.all([ask(scope), toolScope && ask(toolScope)]);
  const isListed = tool !== undefined && codeOf(tool) !== 'scope_unknown';
  return isListed && codeOf(server) !== 'scope_denied' ? tool : server;
}

const explainFailure = ({ code, message }) =>
  code === 'ERR_MODULE_NOT_FOUND' ? 'Install `@gatehouse/client` in `.claude`.' : message;

function hookOutput({ decision, rules }, mode) {
  const deciding = rules.filter(({ outcome }) => outcome === decision);
  const why = plain(deciding.map(({ detail }) => detail).join(' '));
  const asks = decision !== 'require_approval' || MODES_THAT_ASK.includes(mode);
  const hookSpecificOutput = {
    hookEventName: 'PreToolUse',
    permissionDecision: asks ? DECISIONS[decision] : 'deny',
    permissionDecisionReason: asks ? why : `${why} ${NOT_ASKED}`,
  };
  return hookSpecificOutput.permissionDecision && { hookSpecificOutput };
}

const NOT_ASKED =
  'No one is asked in this permission mode. Tell the user to switch to a permission mode that asks, or an operator to allow the scope in the profile of the policy service.';

const STRICTNESS = ['allow', 'require_approval', 'deny'];
const strictness = ({ decision }) => STRICTNESS.indexOf(decision);

async function decide({ readings, mode, requestId }) {
  const policy = await connect();
  const asked = readings.map((reading) => decisionOn(policy, reading, requestId));
  const decisions = await Promise.all(asked).finally(policy.close);
  const [strictest] = decisions.sort((a, b) => strictness(b) - strictness(a));
  const output = hookOutput(strictest, mode);
  const done = () => {
    process.exitCode = 0;
  };
  if (output) process.stdout.write(`${JSON.stringify(output)}\n`, done);
  else done();
}

await readCall().then(
  (call) => decide(call).catch((error) => block(`no decision. ${explainFailure(error)}`)),
  ({ message }) => block(`the call could not be read (${message}).`),
);
