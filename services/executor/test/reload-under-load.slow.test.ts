import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { replaceFile, startService, startUpstream } from '@gatehouse/testing';
import { expect, it } from 'vitest';

const SECONDS = 30;
const CALLERS = 4;

it('reloads under load: no execution fails, and each credential is from one of the files', async () => {
  await using upstream = await startUpstream();
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-reload-'));
  const path = (name: string) => join(folder, name);
  const file = (secret: string) => `
destinations: [{ host: "127.0.0.1:${upstream.port}", credential: ${secret} }]
credentials: { ${secret}: { type: bearer, token_file: ${secret} } }
`;
  const write = (name: string, content: string) =>
    writeFileSync(path(name), content, { mode: 0o600 });
  write('one', 'secret-one-0000');
  write('two', 'secret-two-0000');
  write('destinations.yaml', file('one'));
  await using service = await startService('executor', {
    HTTP_EXECUTOR_DESTINATIONS_FILE: path('destinations.yaml'),
  });
  const until = performance.now() + SECONDS * 1_000;
  const failures: string[] = [];
  const call = async () => {
    while (performance.now() < until) {
      const response = await fetch(`${service.url}/execute`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ method: 'GET', url: `${upstream.origin}/` }),
      });
      const text = await response.text();
      if (!text.startsWith('{"outcome":"success"')) failures.push(text);
    }
  };
  const changes = () => service.lines().filter(({ msg }) => msg === 'destinations changed').length;
  const change = async () => {
    for (let round = 0; performance.now() < until; round++) {
      const name = round % 2 === 0 ? 'two' : 'one';
      // Writes the secret in place, as `echo … > file` does, so that the file is empty for a
      // moment.
      write(name, `secret-${name}-${String(round).padStart(4, '0')}`);
      replaceFile(path('destinations.yaml'), file(name));
      await expect.poll(changes).toBe(round + 1);
    }
  };
  await Promise.all([change(), ...Array.from({ length: CALLERS }, call)]);
  expect(failures).toEqual([]);
  const sent = upstream.requests.map(({ headers }) => String(headers.authorization));
  expect(sent.filter((each) => !/^Bearer secret-(?:one|two)-\d{4}$/.test(each))).toEqual([]);
  expect(new Set(sent).size).toBeGreaterThan(10);
  rmSync(folder, { recursive: true });
}, 120_000);
