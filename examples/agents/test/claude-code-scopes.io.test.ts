import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startService } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { blockOf, call, decided, installHook, silent } from './support/hook.ts';

const { project, run } = installHook();

/** Input of the hook, as Claude Code 2.1.332 sent it. */
const RECORDED = readFileSync(new URL('support/payloads.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n');

describe('the scopes of the tools of Claude Code', () => {
  it('has rules for a tool, for its server, and for both', async () => {
    const profile = join(project, 'tools.json');
    const connector = {
      allow: ['mcp://calendar', 'mcp://github.get_issue', 'mcp://secrets.read', 'mcp://a.b__c'],
      require_approval: ['mcp://calendar.delete_event'],
      deny: ['mcp://secrets', 'mcp://calendar.wipe', 'mcp://a__b.c'],
    };
    for (const [unlisted, other] of [
      ['require_approval', 'ask'],
      ['deny', 'deny'],
    ] as const) {
      writeFileSync(
        profile,
        JSON.stringify({ name: 'tools', connector: { ...connector, unlisted } }),
      );
      await using policy = await startService('policy', { POLICY_PROFILE_FILE: profile });
      for (const [tool, answer] of [
        ['mcp__calendar__list_events', silent],
        ['mcp__Calendar__List_Events', silent],
        ['mcp__calendar__delete_event', decided('ask', 'mcp://calendar.delete_event')],
        ['mcp__calendar__wipe', decided('deny', 'mcp://calendar.wipe')],
        ['mcp__github__get_issue', silent],
        ['mcp__github__delete_repo', decided(other, 'mcp://github ')],
        ['mcp__secrets__read', decided('deny', 'mcp://secrets ')],
        // A tool `c` of the server `a__b`, or a tool `b__c` of the server `a`.
        ['mcp__a__b__c', decided('deny', 'mcp://a__b.c')],
      ] as const)
        expect([tool, await run(call(tool), { GATEHOUSE_POLICY_URL: policy.url })]).toEqual([
          tool,
          answer,
        ]);
    }
  });

  it('answers 16 calls that were recorded from Claude Code', async () => {
    const profile = join(project, 'recorded.yaml');
    writeFileSync(profile, blockOf('yaml'));
    await using policy = await startService('policy', { POLICY_PROFILE_FILE: profile });
    const ids: string[] = [];
    const answers: string[] = [];
    for (const stdin of RECORDED) {
      const { tool_name, session_id, tool_use_id } = JSON.parse(stdin);
      const { code, stdout } = await run(stdin, { GATEHOUSE_POLICY_URL: policy.url });
      ids.push(`"request_id":"${session_id}/${tool_use_id}"`);
      const output = stdout && JSON.parse(stdout).hookSpecificOutput;
      answers.push(`${tool_name} ${code} ${output.permissionDecision ?? 'allow'}`);
    }
    expect(answers).toEqual([
      'Bash 0 ask',
      'Bash 0 ask',
      'WebFetch 0 allow',
      'WebFetch 0 deny',
      'WebFetch 0 ask',
      'WebSearch 0 allow',
      'WebSearch 0 allow',
      'mcp__github__get_issue 0 allow',
      'mcp__github__delete_repo 0 deny',
      'mcp__github__create_issue 0 ask',
      'mcp__github__list__all 0 ask',
      'mcp__calendar__list_events 0 allow',
      'mcp__calendar__delete_event 0 ask',
      'mcp__secrets__read 0 deny',
      'mcp__tool__websearch 0 ask',
      'mcp__my_files__read 0 ask',
    ]);
    await policy.stop();
    for (const id of ids) expect(policy.stdout).toContain(id);
  });

  it('checks calls whose ids make no valid request id', async () => {
    await using policy = await startService('policy');
    const env = { GATEHOUSE_POLICY_URL: policy.url };
    const ids = [{}, { session_id: 'é' }, { tool_use_id: 'x'.repeat(129) }, { session_id: 7 }];
    for (const each of ids)
      expect(await run(JSON.stringify({ tool_name: 'mcp__files__read', ...each }), env)).toEqual(
        silent,
      );
  });
});
