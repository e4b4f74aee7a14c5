import { execFile } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type Handler, startUpstream } from '@gatehouse/testing';
import { expect, it } from 'vitest';
import { call, hook as hookFile, hooks, installHook } from './support/hook.ts';

const { run } = installHook();

const hang: Handler = () => {};
const half: Handler = (_request, response) => {
  response.writeHead(200, { 'content-length': 100 }).write('{"decision":"allow"');
};

it('the hook blocks a slow check before Claude Code times out', async () => {
  const start = performance.now();
  const answers = [hang, half].map(async (script) => {
    await using policy = await startUpstream(script);
    return await run(call('Bash'), { GATEHOUSE_POLICY_URL: policy.origin });
  });
  for (const answer of await Promise.all(answers))
    expect(answer).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^Blocked/),
    });
  expect(performance.now() - start).toBeLessThan(hooks[0].timeout * 1000);
});

it('the hook blocks if its input never ends', async () => {
  const hook = execFile('node', [fileURLToPath(hookFile)], { env: { PATH: process.env.PATH } });
  hook.stdin?.write('{"tool_name":"Bash"');
  const said = text(hook.stderr as Readable);
  const [code] = await once(hook, 'exit');
  expect(code).toBe(2);
  expect(await said).toBe('Blocked: the hook took more than 8000 ms.\n');
});
