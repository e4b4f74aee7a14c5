import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, type Script, startService, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import {
  blockOf,
  call,
  decided,
  fetchOf,
  hook,
  hooks,
  installHook,
  matcher,
  silent,
} from './support/hook.ts';

const { project, run } = installHook();

const blocked = (why: string) => ({
  ...{ code: 2, stdout: '' },
  stderr: expect.stringMatching(new RegExp(`^Blocked: ${why}\n$`)),
});
const noDecision = (why: string) => blocked(`no decision\\. .*${why}.*`);

const RULES = ['spend_limit', 'pii_guardrail', 'legal_compliance', 'connector_scope'];

const needsConsent = 'needs consent';
const isDenied = 'sensitive and denied';

describe('the hook for Claude Code', () => {
  it('returns the documented output for each decision', async () => {
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
      [fetchOf('https://pastebin.com./raw/1'), decided('deny', isDenied)],
      [fetchOf('https://PASTEBIN.com.:8443/raw/1'), decided('deny', isDenied)],
      [fetchOf('https://pastebin.com../raw/1'), decided('deny', isDenied)],
      [fetchOf('https://nodejs.org./api/'), silent],
      [call('mcp__root__read'), decided('deny', isDenied)],
      [call('mcp__secrets__read'), decided('deny', isDenied)],
      [call('mcp__admin__read'), decided('deny', isDenied)],
      [call('mcp__calendar__x__y'), decided('ask', needsConsent)],
      [call('mcp__root__x__y'), decided('deny', isDenied)],
      [call('mcp__secrets__'), decided('deny', isDenied)],
      [call('mcp__tool_websearch__x'), decided('ask', needsConsent)],
      [call('mcp__tool__websearch'), decided('ask', needsConsent)],
      [call('mcp__Tool__websearch'), decided('ask', needsConsent)],
      [call('Bash', { command: 'curl https://nodejs.org' }), decided('ask', needsConsent)],
      [call('Bash', {}, 'plan'), decided('ask', needsConsent)],
      [
        call('Bash', {}, 'bypassPermissions'),
        decided('deny', 'No one is asked.*switch to a permission mode'),
      ],
      [call('Bash', {}, 'auto'), decided('deny', 'No one is asked')],
      [call('Bash', {}, 'a mode of tomorrow'), decided('deny', 'No one is asked')],
      [call('mcp__calendar__list_events', {}, 'auto'), silent],
    ] as const;
    for (const [stdin, answer] of cases)
      expect([stdin, await run(stdin, settings)]).toEqual([stdin, answer]);
    const noToken = { GATEHOUSE_POLICY_URL: policy.url };
    expect(await run(call('Bash'), noToken)).toMatchObject({ code: 2, stdout: '' });
  });

  it('blocks a call that it cannot read', async () => {
    await using policy = await startUpstream();
    const env = { GATEHOUSE_POLICY_URL: policy.origin };
    for (const [stdin, why] of [
      ['', 'Unexpected end of JSON input'],
      ['not JSON', '.* is not valid JSON'],
      ['\u001b[31mred', '[^\u001b]* is not valid JSON'],
      ['null', 'Cannot destructure .*'],
      ['{}', 'it has no `tool_name`'],
      ['{"tool_name":7}', 'it has no `tool_name`'],
      ['{"tool_name":"WebFetch"}', 'Cannot read properties .*'],
      [call('WebFetch'), 'Invalid URL'],
      [fetchOf('nodejs.org'), 'Invalid URL'],
      [' '.repeat(16 * 1024 * 1024 + 1), 'it has more than 16777216 bytes'],
    ] as const) {
      const answer = await run(stdin, env);
      const expected = blocked(`the call could not be read \\(${why}\\)\\.`);
      expect([stdin.slice(0, 50), answer]).toEqual([stdin.slice(0, 50), expected]);
    }
    expect(policy.requests).toEqual([]);
  });

  it('blocks without a usable answer, and does not show tokens', async () => {
    const rules = RULES.map((rule) => ({ rule, outcome: 'allow', detail: '' }));
    const allow = { decision: 'allow', rules };
    const answers: readonly (readonly [what: string, Script, why: string])[] = [
      [
        'no connector_scope',
        { body: { ...allow, rules: allow.rules.slice(0, 3) } },
        'unexpected body',
      ],
      ['a proxy', { status: 502, body: '\u001b[31mBad Gateway' }, 'status 502'],
      ['nothing', (_request, response) => void response.socket?.destroy(), 'UND_ERR_SOCKET'],
    ];
    for (const [what, script, why] of answers) {
      await using policy = await startUpstream(script);
      const answer = await run(call('Bash'), { GATEHOUSE_POLICY_URL: policy.origin });
      expect([what, answer]).toEqual([what, noDecision(why)]);
    }
    for (const [env, why] of [
      [{ GATEHOUSE_POLICY_URL: `http://127.0.0.1:${await freePort()}` }, 'ECONNREFUSED'],
      [{ GATEHOUSE_POLICY_URL: 'http://user:s3cret@127.0.0.1:1' }, 'without credentials'],
      [{ GATEHOUSE_POLICY_TOKEN: 's3cret\ntoken' }, '`token` must be visible ASCII'],
    ] as const) {
      const answer = await run(call('Bash'), env);
      expect([env, answer]).toEqual([env, noDecision(why)]);
      expect(answer.stderr).not.toContain('s3cret');
    }
  });

  it('removes characters that control a terminal', async () => {
    const detail = 'Pay\u001b[2J\u009b31m\u202e\u200b\r\nme.';
    const rules = RULES.map((rule) => ({ rule, outcome: 'deny', detail }));
    const explanation = { profile: 'p', digest: 'd', rules: [] };
    await using policy = await startUpstream({ body: { decision: 'deny', rules, explanation } });
    const { stdout, ...rest } = await run(call('Bash'), { GATEHOUSE_POLICY_URL: policy.origin });
    expect(rest).toEqual({ code: 0, stderr: '' });
    const { permissionDecisionReason: reason } = JSON.parse(stdout).hookSpecificOutput;
    expect(reason).toMatch(/^Pay\ufffd\[2J\ufffd31m/);
    expect(reason).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it('blocks if the client is not installed, and says so', async () => {
    const alone = join(project, 'alone');
    mkdirSync(join(alone, '.claude/hooks'), { recursive: true });
    cpSync(hook, join(alone, '.claude/hooks/gatehouse-hook.mjs'));
    const answer = await run(call('Bash'), {}, alone);
    expect(answer).toEqual(noDecision('Install `@gatehouse/client`'));
  });

  it('has settings that match each network tool and block if the hook fails', () => {
    for (const name of ['WebFetch', 'WebSearch', 'Bash', 'mcp__memory__read_graph'])
      expect(new RegExp(matcher).test(name)).toBe(true);
    expect(new RegExp(matcher).test('Read')).toBe(false);
    expect(hooks[0]).toMatchObject({ type: 'command', onFailure: 'block' });
    const limits = readFileSync(hook, 'utf8').matchAll(/(POLICY|TOTAL)_MS = ([\d_]+)/g);
    const [policyMs = 0, totalMs = 0] = [...limits].map(([, , ms]) => Number(ms?.replace('_', '')));
    expect(policyMs).toBeLessThan(totalMs);
    expect(totalMs).toBeLessThan(hooks[0].timeout * 1000);
  });
});
