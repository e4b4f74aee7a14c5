import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, type Script, startService, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { blockOf, call, fetchOf, hook, hooks, matcher, project, run } from './support/hook.ts';

const decided = (permissionDecision: 'ask' | 'deny', reason: string) => ({
  ...{ code: 0, stderr: '' },
  stdout: expect.stringMatching(
    new RegExp(
      `^{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"${permissionDecision}","permissionDecisionReason":"[^"]*${reason}[^"]*"}}\n$`,
    ),
  ),
});
const silent = { code: 0, stdout: '', stderr: '' };
const blocked = (why: string) => ({
  ...{ code: 2, stdout: '' },
  stderr: `Blocked: the policy could not be asked (${why}).\n`,
});

const needsConsent = 'needs consent';
const isDenied = 'sensitive and denied';

describe('the hook for Claude Code', () => {
  it('answers as documented what the policy decides', async () => {
    const profile = join(project, 'profile.yaml');
    writeFileSync(profile, blockOf('yaml'));
    const env = { POLICY_PROFILE_FILE: profile, POLICY_API_TOKENS: 'claude:s3cret-token' };
    await using policy = await startService('policy', env);
    const settings = { GATEHOUSE_POLICY_URL: policy.url, GATEHOUSE_POLICY_TOKEN: 's3cret-token' };
    const cases = [
      [call('mcp__calendar__list_events'), silent],
      [call('WebSearch', { query: 'x' }), silent],
      [fetchOf('https://nodejs.org/api/'), silent],
      [fetchOf('https://NODEJS.org/api/'), silent],
      [fetchOf('https://nodejs.org.evil.example/'), decided('ask', needsConsent)],
      [fetchOf('https://nodejs.org@evil.example/'), decided('ask', needsConsent)],
      [fetchOf('https://nodejs.org:8443/'), decided('ask', needsConsent)],
      [fetchOf('https://pastebin.com/x'), decided('deny', isDenied)],
      [fetchOf('https://pastebin.com:8443/x'), decided('deny', isDenied)],
      [call('mcp__secrets__read'), decided('ask', needsConsent)],
      [call('mcp__calendar__x__y'), decided('ask', needsConsent)],
      [call('mcp__tool_websearch__x'), decided('ask', needsConsent)],
      [call('Bash', { command: 'curl https://nodejs.org' }), decided('ask', needsConsent)],
      [call('Bash', {}, 'plan'), decided('ask', needsConsent)],
      [call('Bash', {}, 'bypassPermissions'), decided('deny', 'Nobody is asked')],
      [call('Bash', {}, 'auto'), decided('deny', 'Nobody is asked')],
      [call('Bash', {}, 'a mode of tomorrow'), decided('deny', 'Nobody is asked')],
      [call('mcp__calendar__list_events', {}, 'auto'), silent],
    ] as const;
    const answers = await Promise.all(cases.map(([stdin]) => run(stdin, settings)));
    cases.forEach(([stdin, answer], index) => {
      expect([stdin, answers[index]]).toEqual([stdin, answer]);
    });
    const noToken = { GATEHOUSE_POLICY_URL: policy.url };
    expect(await run(call('Bash'), noToken)).toMatchObject({ code: 2, stdout: '' });
  });

  it('blocks what it cannot read', async () => {
    await using policy = await startUpstream();
    const env = { GATEHOUSE_POLICY_URL: policy.origin };
    for (const [stdin, why] of [
      ['', 'SyntaxError'],
      ['not JSON', 'SyntaxError'],
      ['null', 'TypeError'],
      ['{}', 'TypeError'],
      ['{"tool_name":7}', 'TypeError'],
      [call('WebFetch'), 'ERR_INVALID_URL'],
      [fetchOf('nodejs.org'), 'ERR_INVALID_URL'],
    ] as const)
      expect([stdin, await run(stdin, env)]).toEqual([stdin, blocked(why)]);
    expect(policy.requests).toEqual([]);
  });

  it('blocks without a usable answer, and tells no token', async () => {
    const allow = { decision: 'allow', rules: [] };
    const answers: readonly (readonly [Script, string])[] = [
      [{ body: '<h1>It works</h1>' }, 'SyntaxError'],
      [{ body: 'null' }, 'TypeError'],
      [{ body: { decision: 'allow' } }, 'TypeError'],
      [{ body: { ...allow, decision: 'ALLOW' } }, 'It gave no decision.'],
      [{ body: { ...allow, decision: 'constructor' } }, 'It gave no decision.'],
      [{ status: 500, body: { ...allow, detail: 'Try later.' } }, 'Try later.'],
      [[{ status: 302, headers: { location: '/x' }, body: allow }, { body: allow }], 'TypeError'],
      [(_request, response) => void response.socket?.destroy(), 'UND_ERR_SOCKET'],
    ];
    for (const [script, why] of answers) {
      await using policy = await startUpstream(script);
      const answer = await run(call('Bash'), { GATEHOUSE_POLICY_URL: policy.origin });
      expect([why, answer]).toEqual([why, blocked(why)]);
    }
    for (const [env, why] of [
      [{ GATEHOUSE_POLICY_URL: `http://127.0.0.1:${await freePort()}` }, 'ECONNREFUSED'],
      [{ GATEHOUSE_POLICY_URL: 'http://user:s3cret@127.0.0.1:1' }, 'TypeError'],
      [{ GATEHOUSE_POLICY_TOKEN: 's3cret\ntoken' }, 'TypeError'],
    ] as const) {
      const answer = await run(call('Bash'), env);
      expect([env, answer]).toEqual([env, blocked(why)]);
    }
  });

  it('its settings name each tool that reaches the network, and block when it fails', () => {
    for (const name of ['WebFetch', 'WebSearch', 'Bash', 'mcp__memory__read_graph'])
      expect(new RegExp(matcher).test(name)).toBe(true);
    expect(new RegExp(matcher).test('Read')).toBe(false);
    expect(hooks[0]).toMatchObject({ type: 'command', onFailure: 'block' });
    const [, ms = ''] = /TIMEOUT_MS = ([\d_]+)/.exec(readFileSync(hook, 'utf8')) ?? [];
    expect(Number(ms.replace('_', ''))).toBeLessThan(hooks[0].timeout * 1000);
  });
});
