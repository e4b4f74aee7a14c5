import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Processes } from '../processes.ts';
import { mainOf } from '../services.ts';

const ROOT = new URL('../../', import.meta.url);
const README = readFileSync(new URL('README.md', ROOT), 'utf8');

/** Every `curl` block with the answer below it. */
const EXAMPLES = [...README.matchAll(/```sh\n(curl .*?)```\s+```json\n(.*?)```/gs)].map(
  ([, command = '', answer = '']) => ({
    command: command.trim(),
    answer,
  }),
);

/** What differs from run to run. */
const VOLATILE = new Set(['request_id', 'x-request-id', 'date', 'duration_ms', 'keep-alive']);

const steady = (json: string): unknown =>
  JSON.parse(json, (key, value) => (VOLATILE.has(key) ? 'differs from run to run' : value));

describe('the README', () => {
  const processes = new Processes({ graceMs: 5_000 });
  let ports: Record<string, string>;

  /** Starts a service on a free port, which its first log line names. */
  const start = async (name: 'policy' | 'executor', setting: string): Promise<string> => {
    const env = { ...process.env, [setting]: '127.0.0.1:0', LOG_LEVEL: 'info' };
    const service = processes.start({ name, main: mainOf(name), env, output: 'capture' });
    return (await service.printed(/listening at http:\/\/127\.0\.0\.1:(\d+)/, 20_000))[1] ?? '';
  };
  beforeAll(async () => {
    ports = {
      8081: await start('policy', 'POLICY_BIND_ADDR'),
      8092: await start('executor', 'HTTP_EXECUTOR_BIND_ADDR'),
    };
  }, 45_000);
  afterAll(() => processes.stop());

  it('has examples', () => expect(EXAMPLES.length).toBeGreaterThanOrEqual(7));

  it.each(EXAMPLES)('$command answers as shown', async ({ command, answer }) => {
    const here = command.replace(/localhost:(8081|8092)/g, (_, port) => `localhost:${ports[port]}`);
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
      expect(() => readFileSync(fileURLToPath(new URL(path, ROOT)))).not.toThrow();
    }
  });
});
