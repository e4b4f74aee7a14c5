// A PreToolUse hook of Claude Code: the policy service judges each call of a tool by its
// scope. What it denies is blocked, and what needs approval is asked. Node 20, nothing else.

import { text } from 'node:stream/consumers';

const { GATEHOUSE_POLICY_URL = 'http://127.0.0.1:8081', GATEHOUSE_POLICY_TOKEN } = process.env;

/** Less than the `timeout` in the settings. */
const TIMEOUT_MS = 5_000;

/** A hook cannot see what a call spends and touches: this is said of every one. */
const FACTS = {
  spend: { amount_minor_units: 0, currency: 'EUR' },
  pii: { categories: [] },
  legal: { flags: [] },
};

/** An allow leaves the call to Claude Code's own permissions; `'allow'` would skip them. */
const DECISIONS = { allow: undefined, require_approval: 'ask', deny: 'deny' };

/** In the other modes Claude Code may go on without asking anyone. */
const MODES_THAT_ASK = ['default', 'acceptEdits', 'plan'];

class Unusable extends Error {}

/**
 * `mcp://<server>` for a tool of an MCP server, else `mcp://tool.<name>`, for WebFetch with
 * its host. Names of servers have no dot, so that none is taken for another tool.
 */
function scopeOf(tool, input) {
  const [mcp, server, name, ...more] = tool.split('__');
  if (mcp === 'mcp' && server && name && more.length === 0) return `mcp://${server}`;
  const host = tool === 'WebFetch' ? `.${new URL(input.url).host}` : '';
  return `mcp://tool.${tool.toLowerCase()}${host}`;
}

async function decisionOn(scope) {
  const authorization = GATEHOUSE_POLICY_TOKEN && `Bearer ${GATEHOUSE_POLICY_TOKEN}`;
  const response = await fetch(`${GATEHOUSE_POLICY_URL}/policy/check`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
    body: JSON.stringify({ ...FACTS, connector: { scope } }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
    redirect: 'error',
  });
  const answer = await response.json();
  if (response.status !== 200) throw new Unusable(answer.detail);
  if (!Object.hasOwn(DECISIONS, answer.decision)) throw new Unusable('It gave no decision.');
  return answer;
}

function outputOf({ decision, rules }, mode) {
  const deciding = rules.filter(({ outcome }) => outcome === decision);
  const why = deciding.map(({ detail }) => detail).join(' ');
  const asks = decision !== 'require_approval' || MODES_THAT_ASK.includes(mode);
  const hookSpecificOutput = {
    hookEventName: 'PreToolUse',
    permissionDecision: asks ? DECISIONS[decision] : 'deny',
    permissionDecisionReason: asks ? why : `${why} Nobody is asked in this permission mode.`,
  };
  return hookSpecificOutput.permissionDecision && { hookSpecificOutput };
}

try {
  const call = JSON.parse(await text(process.stdin));
  const answer = await decisionOn(scopeOf(call.tool_name, call.tool_input));
  const output = outputOf(answer, call.permission_mode);
  if (output) console.log(JSON.stringify(output));
} catch (error) {
  // Only 2 blocks the call. Foreign messages could hold the token.
  const code = error.code ?? error.cause?.code ?? error.name;
  const why = error instanceof Unusable ? error.message : code;
  console.error(`Blocked: the policy could not be asked (${why}).`);
  process.exitCode = 2;
}
