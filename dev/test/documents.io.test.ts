import { execFile } from 'node:child_process';
import { globSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort, shared, startService, TestProcess } from '@gatehouse/testing';
import { describe, expect, it, vi } from 'vitest';

const ROOT = new URL('../../', import.meta.url);
const textOf = (file: string) => readFileSync(new URL(file, ROOT), 'utf8');

/** Documents whose commands can be copied into a shell. */
const README = textOf('README.md');
const CONTRACT = textOf('docs/contract.md');
const PROFILES = textOf('docs/profiles.md');
const DESTINATIONS = textOf('docs/destinations.md');

/** `curl` blocks, each with the answer below it. */
const EXAMPLES = [
  ...`${README}${CONTRACT}`.matchAll(/```sh\n(curl .*?)```\s+```json\n(.*?)```/gs),
].map(([, command = '', answer = '']) => ({ command: command.trim(), answer }));

/** The Node program that serves as the upstream of some examples, and its port. */
const [, UPSTREAM = '', UPSTREAM_PORT = ''] =
  /```sh\nnode -e '([^']*listen\((\d+)[^']*)' &\n```/.exec(CONTRACT) ?? [];

async function startUpstream() {
  const port = await freePort();
  const program = UPSTREAM.replace(UPSTREAM_PORT, String(port));
  const running = new TestProcess(process.execPath, ['-e', program], {});
  await vi.waitFor(() => fetch(`http://127.0.0.1:${port}`), { timeout: 15_000 });
  return { port, [Symbol.asyncDispose]: () => running[Symbol.asyncDispose]() };
}

const VOLATILE = new Set(['request_id', 'x-request-id', 'date', 'duration_ms', 'keep-alive']);

const steady = (json: string): unknown =>
  JSON.parse(json, (key, value) => (VOLATILE.has(key) ? 'differs from run to run' : value));

describe('examples in the README and the contract', () => {
  const policy = shared(() => startService('policy'));
  const executor = shared(() => startService('executor'));
  const upstream = shared(startUpstream);
  const running: Record<string, () => { port: number }> = {
    8081: policy,
    8092: executor,
    [UPSTREAM_PORT]: upstream,
  };

  it('are found', () => expect(EXAMPLES.length).toBeGreaterThanOrEqual(8));

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
});

describe('commands of `gatehouse` in the README and in docs/profiles.md', () => {
  const commands = [
    ...`${README}${PROFILES}${DESTINATIONS}`.matchAll(/^npx -y pnpm@12 gatehouse (.+)$/gm),
  ].map(([, words = '']) => words);

  it.each(commands)('gatehouse %s', async (words) => {
    const [, profile = ''] = /Save this as `acme.yaml`.*?```yaml\n(.*?)```/s.exec(README) ?? [];
    const acme = join(await mkdtemp(join(tmpdir(), 'gatehouse-')), 'acme.yaml');
    await writeFile(acme, profile);
    const args = words.split(' ').map((word) => (word === 'acme.yaml' ? acme : word));
    const main = fileURLToPath(new URL('packages/cli/src/main.ts', ROOT));
    const run = promisify(execFile)(process.execPath, [main, ...args], {
      cwd: fileURLToPath(ROOT),
    });
    // Accept exit code 1, because the example of `gatehouse diff` finds looser decisions.
    const { stdout } = await run.catch((error) =>
      error.code === 1 ? error : Promise.reject(error),
    );
    expect(stdout).not.toBe('');
  });
});

const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\- _]/gu, '')
    .replaceAll(' ', '-');

const anchorsIn = (markdown: string) =>
  [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));

describe('links in documents', () => {
  const documents = globSync('{*.md,docs/**/*.md,{packages,services,examples,deploy}/**/*.md}', {
    cwd: fileURLToPath(ROOT),
    exclude: ['**/node_modules', '**/dist'],
  });

  it.each(documents)('%s', (document) => {
    const here = new URL(document, ROOT);
    for (const [link, path = '', anchor] of textOf(document).matchAll(
      /\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g,
    )) {
      const target = path === '' ? here : new URL(path, here);
      expect(() => statSync(target), link).not.toThrow();
      if (anchor !== undefined) {
        expect(anchorsIn(readFileSync(target, 'utf8')), link).toContain(anchor);
      }
    }
  });
});
