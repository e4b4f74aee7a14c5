import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { shared, startService } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';

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
  const policy = shared(() => startService('policy'));
  const executor = shared(() => startService('executor'));
  const portOf = (usual: string) => (usual === '8081' ? policy() : executor()).port;

  it('has examples', () => expect(EXAMPLES.length).toBeGreaterThanOrEqual(7));

  it.each(EXAMPLES)('$command answers as shown', async ({ command, answer }) => {
    const here = command.replace(
      /localhost:(8081|8092)/g,
      (_, port) => `localhost:${portOf(port)}`,
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
      expect(() => readFileSync(fileURLToPath(new URL(path, ROOT)))).not.toThrow();
    }
  });
});
