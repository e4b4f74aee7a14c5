import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Script, startUpstream } from '@gatehouse/testing';
import {
  createSandbox,
  EXECUTION_DEFAULTS,
  type ExecutionContext,
  inspectSecrets,
  loadDestinations,
  openExecutor,
  Refusal,
} from '../../src/index.ts';
import type { Setup } from './executor.ts';

/** Contents of files by name. `destinations.yaml` is the destinations file. */
type Files = Readonly<Record<string, string>> & { readonly 'destinations.yaml': string };

type Context = Partial<ExecutionContext>;

/** Starts an executor whose destinations, secrets and TLS files are in a folder of their own. */
export function startWithDestinations(files: Files, setup: Setup = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-destinations-'));
  const path = join(folder, 'destinations.yaml');
  const write = (name: string, content: string) => {
    writeFileSync(join(folder, name), content);
    chmodSync(join(folder, name), 0o600);
  };
  for (const [name, content] of Object.entries(files)) write(name, content);
  const sandbox = createSandbox([], setup.networks ?? []);
  const limits = { ...EXECUTION_DEFAULTS, ...setup };
  const opened = openExecutor(sandbox, { ...setup, limits }, setup);
  opened.use(loadDestinations(path));
  const context = { signal: new AbortController().signal };
  const outcome = async (action: object, more: Context = {}) => {
    const { json } = await opened.executor.execute(action as never, { ...context, ...more });
    return JSON.parse(json.toString());
  };
  const refused = async (call: Promise<unknown>): Promise<Refusal> => {
    const read = await call.catch((error: unknown) => error);
    if (read instanceof Refusal) return read;
    throw new Error(`expected a refusal, got ${JSON.stringify(read)}`);
  };
  return {
    execute: (action: object) => opened.executor.execute(action as never, context),
    write,
    remove: (name: string) => rmSync(join(folder, name)),
    path: (name: string) => join(folder, name),
    outcome,
    text: (action: object, more?: Context) => outcome(action, more).then(JSON.stringify),
    refusal: (action: object, more?: Context) => refused(outcome(action, more)),
    dryRun: (action: object, more: Context = {}) =>
      opened.executor.dryRun(action as never, { ...context, ...more }),
    /** Makes the executor use the current content of the files. */
    reload: () => opened.use(loadDestinations(path)),
    inspectSecrets: () => inspectSecrets(loadDestinations(path)),
    [Symbol.asyncDispose]: async () => {
      await opened.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Starts an upstream, and an executor with the files that `filesFor` returns for its port. */
export async function startWithUpstream(
  script: Script,
  filesFor: (port: number) => Files,
  setup?: Setup,
) {
  const upstream = await startUpstream(script);
  const executor = startWithDestinations(filesFor(upstream.port), setup);
  return {
    upstream,
    executor,
    [Symbol.asyncDispose]: async () => {
      await executor[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
}
