import { copyFile, mkdtempDisposable, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setInterval as every } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { brokenOf } from '../support/figures.ts';
import { runWrk } from '../support/load.ts';
import { memoryOf } from '../support/process-figures.ts';
import { TYPICAL_CHECK } from '../support/requests.ts';
import { type Subject, startService } from '../support/subject.ts';

const CHANGE_EVERY_MS = 1_000;
const TAKEN_WITHIN_MS = 10_000;
const POLL_MS = 10;
/** Of one; what a busy machine may leave out. */
const TAKEN_PER_SECOND = 0.5;

const BODY = JSON.stringify(TYPICAL_CHECK);
const SCRIPT = fileURLToPath(new URL('answers.lua', import.meta.url));
const SAMPLES = ['cautious', 'generous'].map((name) =>
  fileURLToPath(new URL(`../../examples/profiles/${name}.yaml`, import.meta.url)),
);

/** What `answers.lua` prints. */
interface Load {
  readonly seconds: number;
  readonly failed: number;
  /** Answers that neither profile gives, or that carry the digest of the other. */
  readonly strange: number;
  /** By digest. */
  readonly answers: Readonly<Record<string, number>>;
  readonly p50_ms: number;
  readonly p99_ms: number;
  readonly max_ms: number;
}

export interface Finding extends Load {
  readonly changes: number;
  /** How often the service read the file, by what came of it. */
  readonly reloads: Readonly<Record<string, number>>;
  readonly rss_mib: { readonly before: number; readonly after: number };
  /** The rules that were broken. */
  readonly broken: readonly string[];
}

/** Loads a policy service with wrk while its profile is replaced every second. */
export async function reloadUnderLoad(seconds: number): Promise<Finding> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'gatehouse-reload-'));
  const [first = '', second = ''] = SAMPLES;
  const file = join(folder.path, 'profile.yaml');
  const known = join(folder.path, 'known');
  await copyFile(first, file);
  // What else a busy machine does is no overload.
  const settings = { POLICY_PROFILE_FILE: file, MAX_EVENT_LOOP_DELAY_MS: '600000' };
  await using policy = await startService('policy', settings);
  const answers = await answersAtRest(policy);
  const digest = await digestOf(policy);
  await replace(file, second);
  await untilDigestIsNot(digest, policy);
  await writeFile(known, [...answers, ...(await answersAtRest(policy)), ''].join('\n'));

  const before = memoryOf(policy.pid).rss;
  const stopped = new AbortController();
  const changing = changeOver(file, stopped.signal);
  const { load, example } = await wrk(policy, known, seconds);
  stopped.abort();
  const changes = await changing;
  const rss_mib = { before, after: memoryOf(policy.pid).rss };
  const figures = { ...load, changes, reloads: await reloadsOf(policy), rss_mib };
  return { ...figures, broken: [...brokenBy(figures), ...example] };
}

const ask = (policy: Subject, path: string, init: RequestInit = {}) =>
  fetch(`${policy.url}${path}`, init);

async function digestOf(policy: Subject): Promise<string> {
  const { headers } = await ask(policy, '/policy/profile');
  return headers.get('x-policy-digest') ?? '';
}

/** One line for each request of `answers.lua`: the digest and the body. */
async function answersAtRest(policy: Subject): Promise<string[]> {
  const headers = { 'content-type': 'application/json' };
  const post = { method: 'POST', headers, body: BODY };
  const answers = [
    await ask(policy, '/policy/check', post),
    await ask(policy, '/policy/check?explain=true', post),
    await ask(policy, '/policy/profile'),
  ];
  const bodies = await Promise.all(answers.map((answer) => answer.text()));
  return answers.map((answer, at) => `${answer.headers.get('x-policy-digest')} ${bodies[at]}`);
}

async function untilDigestIsNot(digest: string, policy: Subject): Promise<void> {
  for await (const _ of every(POLL_MS, undefined, { signal: AbortSignal.timeout(TAKEN_WITHIN_MS) }))
    if ((await digestOf(policy)) !== digest) return;
}

async function replace(file: string, sample: string): Promise<void> {
  await copyFile(sample, `${file}.new`);
  await rename(`${file}.new`, file);
}

/** Replaces the profile until it is told to stop; resolves with how often. */
async function changeOver(file: string, signal: AbortSignal): Promise<number> {
  let changes = 0;
  try {
    for await (const _ of every(CHANGE_EVERY_MS, undefined, { signal }))
      await replace(file, SAMPLES[changes++ % SAMPLES.length] ?? '');
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return changes;
}

/** `example`: one of the strange answers, where there are any. */
async function wrk({ url }: Subject, known: string, seconds: number) {
  const how = { connections: 32, seconds };
  const { answers, notes } = await runWrk<Load>(url, SCRIPT, how, { BODY, KNOWN: known });
  return { load: answers, example: notes.split('\n').filter((line) => line !== '') };
}

async function reloadsOf(policy: Subject): Promise<Record<string, number>> {
  const text = await (await ask(policy, '/metrics')).text();
  const series = text.matchAll(/^policy_profile_reloads_total\{result="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...series].map(([, result = '', count]) => [result, Number(count)]));
}

function brokenBy({ failed, strange, answers, reloads, seconds }: Omit<Finding, 'broken'>) {
  const taken = (reloads.applied ?? 0) / seconds;
  return brokenOf([
    ['no request fails', failed === 0],
    ['each answer is of one profile, and carries its digest', strange === 0],
    ['both profiles answer', Object.values(answers).filter((count) => count > 0).length === 2],
    ['every file is a whole one', reloads.invalid === 0],
    [`${TAKEN_PER_SECOND} changes a second are taken`, taken >= TAKEN_PER_SECOND],
  ]);
}
