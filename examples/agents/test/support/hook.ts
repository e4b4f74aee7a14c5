import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { COMPILE_CACHE } from '@gatehouse/testing';
import { afterAll, expect } from 'vitest';

const page = readFileSync(new URL('../../../../docs/agents.md', import.meta.url), 'utf8');
export const blockOf = (language: string) =>
  new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'ms').exec(page)?.[1] ?? '';

export const [{ matcher, hooks }] = JSON.parse(blockOf('json')).hooks.PreToolUse;
const client = fileURLToPath(new URL('../../../../packages/client', import.meta.url));
export const hook = new URL('../../claude-code/gatehouse-hook.mjs', import.meta.url);

/**
 * Installs the hook in a new Claude Code project, and removes the project after the tests of the
 * file that calls this function. Test files can share this module, but not the project.
 */
export function installHook() {
  const project = mkdtempSync(join(tmpdir(), 'gatehouse hook '));
  mkdirSync(join(project, '.claude/hooks'), { recursive: true });
  mkdirSync(join(project, '.claude/node_modules/@gatehouse'), { recursive: true });
  symlinkSync(client, join(project, '.claude/node_modules/@gatehouse/client'));
  cpSync(hook, join(project, '.claude/hooks/gatehouse-hook.mjs'));
  afterAll(() => rmSync(project, { recursive: true }));
  return {
    project,
    run: (stdin: string, env: Environment, folder = project) => runHook(stdin, env, folder),
  };
}

type Environment = Readonly<Record<string, string>>;

interface Answer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the hook command from the settings as Claude Code does, in the folder of a project. */
function runHook(stdin: string, env: Environment, folder: string): Promise<Answer> {
  const { PATH } = process.env;
  const cache = { NODE_COMPILE_CACHE: COMPILE_CACHE };
  const options = { env: { PATH, ...cache, CLAUDE_PROJECT_DIR: folder, ...env } };
  return new Promise((resolve) => {
    const child = execFile('sh', ['-c', hooks[0].command], options, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
    // Ignore write errors, because a hook may close its stdin before reading all of the input.
    child.stdin?.on('error', () => {}).end(stdin);
  });
}

export const call = (tool_name: string, tool_input: object = {}, permission_mode = 'default') =>
  JSON.stringify({
    ...{ session_id: 'abc123', transcript_path: '/tmp/t.jsonl', cwd: '/tmp', permission_mode },
    ...{ hook_event_name: 'PreToolUse', tool_name, tool_input, tool_use_id: 'toolu_01' },
  });
export const fetchOf = (url: string) => call('WebFetch', { url, prompt: 'What does it say?' });

/** Answers of the hook: a decision with a reason, and no objection. */
export const decided = (permissionDecision: 'ask' | 'deny', reason: string) => ({
  ...{ code: 0, stderr: '' },
  stdout: expect.stringMatching(
    new RegExp(
      `^{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"${permissionDecision}","permissionDecisionReason":"[^"]*${reason}[^"]*"}}\n$`,
    ),
  ),
});
export const silent = { code: 0, stdout: '', stderr: '' };
