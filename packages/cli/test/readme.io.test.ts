import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { run } from './support/command.ts';

const ROOT = new URL('../../..', import.meta.url).pathname;
const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const SAMPLES = [
  ...['default', 'cautious', 'generous', 'per-currency', 'callers'],
  ...['read-only', 'writes-ask', 'refunds-by-amount'],
];

async function runInRoot(...args: string[]) {
  const inRoot = args.map((arg) => (arg.startsWith('examples/') ? `${ROOT}${arg}` : arg));
  const { code, out } = await run(...inRoot);
  return { code, out: out.replaceAll(ROOT, '') };
}

it('each command of the README prints the output shown', async () => {
  const blocks = [...readme.matchAll(/^```console\n\$ gatehouse (.*)\n([\s\S]*?)^```$/gm)];
  expect(blocks).toHaveLength(8);
  for (const [, command = '', shown] of blocks)
    expect([command, (await runInRoot(...command.split(' '))).out]).toEqual([command, shown]);
});

it('the sample profiles have no mistakes and pass their cases', async () => {
  for (const sample of SAMPLES) {
    const [profile, cases] = ['', 'cases/'].map(
      (kind) => `examples/profiles/${kind}${sample}.yaml`,
    );
    expect(await runInRoot('lint', `${profile}`)).toMatchObject({ code: 0 });
    expect(await runInRoot('test', `${profile}`, `${cases}`)).toMatchObject({ code: 0 });
  }
});
