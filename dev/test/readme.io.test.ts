import { readFileSync, statSync } from 'node:fs';
import { freePort, shared, startService, TestProcess } from '@gatehouse/testing';
import { describe, expect, it, vi } from 'vitest';

const ROOT = new URL('../../', import.meta.url);
const README = readFileSync(new URL('README.md', ROOT), 'utf8');

/** Every `curl` block with the answer below it. */
const EXAMPLES = [...README.matchAll(/```sh\n(curl .*?)```\s+```json\n(.*?)```/gs)].map(
  ([, command = '', answer = '']) => ({
    command: command.trim(),
    answer,
  }),
);

/** The upstream of some of them: a Node program, and its port. */
const [, UPSTREAM = '', UPSTREAM_PORT = ''] =
  /```sh\nnode -e '([^']*listen\((\d+)[^']*)' &\n```/.exec(README) ?? [];

async function startUpstream() {
  const port = await freePort();
  const program = UPSTREAM.replace(UPSTREAM_PORT, String(port));
  const running = new TestProcess(process.execPath, ['-e', program], {});
  await vi.waitFor(() => fetch(`http://127.0.0.1:${port}`), { timeout: 15_000 });
  return { port, [Symbol.asyncDispose]: () => running[Symbol.asyncDispose]() };
}

/** What differs from run to run. */
const VOLATILE = new Set(['request_id', 'x-request-id', 'date', 'duration_ms', 'keep-alive']);

const steady = (json: string): unknown =>
  JSON.parse(json, (key, value) => (VOLATILE.has(key) ? 'differs from run to run' : value));

describe('the README', () => {
  const policy = shared(() => startService('policy'));
  const executor = shared(() => startService('executor'));
  const upstream = shared(startUpstream);
  const running: Record<string, () => { port: number }> = {
    8081: policy,
    8092: executor,
    [UPSTREAM_PORT]: upstream,
  };

  it('has examples', () => expect(EXAMPLES.length).toBeGreaterThanOrEqual(9));

  it.each(EXAMPLES)('$command answers as shown', async ({ command, answer }) => {
    const here = command.replace(/(?<=(?:localhost|127\.0\.0\.1):)\d+/g, (usual) =>
      String(running[usual]?.().port ?? usual),
    );
    const [, url = '', header = '', body = ''] =
      /^curl -s (\S+) -H '(.*?)' -d '(.*)'$/s.exec(here) ?? [];
    const response = await fetch(url, {
      method: 'POST',
      headers: [header.split(': ') as [string, string]],
      body,
    });
    expect(steady(await response.text())).toEqual(steady(answer));
  });

  it('links to files that exist', () => {
    for (const [, path = ''] of README.matchAll(/\]\(([^)#:]+)\)/g)) {
      expect(() => statSync(new URL(path, ROOT))).not.toThrow();
    }
  });
});
