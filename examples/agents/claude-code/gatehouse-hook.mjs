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
  const { tool_name, tool_input, permission_mode } = JSON.parse(Buffer.concat(chunks).toString());
  if (typeof tool_name !== 'string') throw new Error('it has no `tool_name`');
  return { scopes: scopesOf(tool_name, tool_input), mode: permission_mode };
}

/**
 * Returns the scopes of a tool: `mcp://<server>` for a tool of an MCP server, otherwise
 * `mcp://tool.<name>`, followed by the host for WebFetch. Server names have no dot, so the two
 * forms never clash.
 *
 * `mcp__a__b__c` may be a tool of the server `a` or of `a__b`, so we check all possible scopes, and
 * the strictest decision counts.
 */
function scopesOf(tool, input) {
  const [mcp, ...names] = tool.split('__');
  const servers = mcp === 'mcp' ? names.slice(0, -1).map((_, at) => names.slice(0, at + 1)) : [];
  const scopes = servers.map((parts) => `mcp://${parts.join('__')}`);
  if (scopes.length === 1 && names.every((name) => name !== '')) return scopes;
  const host = tool === 'WebFetch' ? `.${hostOf(input.url)}` : '';
  return [...scopes, `mcp://tool.${tool.toLowerCase()}${host}`];
}

/**
 * Returns the host with its port but without trailing dots, because `a.example.` is the host
 * `a.example`.
 */
function hostOf(url) {
  const { hostname, port } = new URL(url);
  return `${hostname.replace(/\.+$/, '')}${port && `:${port}`}`;
}

async function decisionOn(scope) {
  const { createPolicyClient } = await import('@gatehouse/client');
  const settings = { url: GATEHOUSE_POLICY_URL, token: GATEHOUSE_POLICY_TOKEN || undefined };
  const policy = createPolicyClient({ ...settings, timeoutMs: POLICY_MS });
  return await policy.check({ ...FACTS, connector: { scope } }).finally(policy.close);
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
    permissionDecisionReason: asks ? why : `${why} No one is asked in this permission mode.`,
  };
  return hookSpecificOutput.permissionDecision && { hookSpecificOutput };
}

const STRICTNESS = ['allow', 'require_approval', 'deny'];
const strictness = ({ decision }) => STRICTNESS.indexOf(decision);

async function decide({ scopes, mode }) {
  const decisions = await Promise.all(scopes.map(decisionOn));
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
