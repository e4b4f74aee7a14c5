import { setImmediate as nextTurn } from 'node:timers/promises';
import { compileProfile } from '@gatehouse/policy-engine';
import type { Profiles } from '@gatehouse/policy-profile';
import type { Access, Logger } from '@gatehouse/service';
import { Counter, type Registry } from 'prom-client';
import type { ProfilesInForce } from './in-force.ts';
import type { Reading } from './read-worker.ts';
import type { ProfileReader } from './reader.ts';

const RESULTS = ['applied', 'unchanged', 'refused', 'invalid'] as const;

export interface ReloadDeps {
  readonly path: string;
  readonly reader: ProfileReader;
  readonly inForce: ProfilesInForce;
  readonly acceptLoosening: boolean;
  /** Whether nobody writes the file; it is read again later otherwise. */
  readonly isSettled: () => boolean;
  readonly tokens: Access['tokens'];
  readonly logger: Logger;
  readonly registry: Registry;
}

/** Reads the profile file again, whole or nothing; the last good one stays. Never rejects. */
export function reloader(deps: ReloadDeps): () => Promise<void> {
  const reloads = new Counter({
    name: 'policy_profile_reloads_total',
    help: 'Times that the profile file was read again: applied, unchanged, refused since it loosens, or invalid.',
    labelNames: ['result'],
    registers: [deps.registry],
  });
  for (const result of RESULTS) reloads.inc({ result }, 0);
  const reload = async () => {
    const result = await reloadOnce(deps);
    if (result !== undefined) reloads.inc({ result });
  };
  let running = Promise.resolve();
  let waiting: Promise<void> | undefined;
  return () => {
    // One that waits reads what all who ask meanwhile want read.
    waiting ??= running.then(() => {
      waiting = undefined;
      return reload();
    });
    running = waiting;
    return waiting;
  };
}

/** Undefined if the file was written to while it was read. */
async function reloadOnce(deps: ReloadDeps): Promise<(typeof RESULTS)[number] | undefined> {
  const { path, reader, inForce, isSettled, logger } = deps;
  try {
    const reading = await reader.read({ path, before: inForce.current });
    return isSettled() ? await take(reading, deps) : undefined;
  } catch (error) {
    if (!isSettled()) return undefined;
    const reason = error instanceof Error ? error.message : String(error);
    logger.error({ profile_file: path, reason }, 'policy profile not taken: the last one stays');
    return 'invalid';
  }
}

async function take({ next, change: { kind, looser, tighter } }: Reading, deps: ReloadDeps) {
  const { path, inForce, acceptLoosening, tokens, logger } = deps;
  const before = inForce.current;
  // A turn for each, so that no other request waits for all.
  for (const profile of next.all) {
    await nextTurn();
    compileProfile(profile);
  }
  const digests = { digests_before: digestsOf(before), digests: digestsOf(next) };
  if (isSame(before, next)) return 'unchanged';
  const fields = { profile_file: path, change: kind, ...digests, looser, tighter };
  if (looser.length > 0 && !acceptLoosening) {
    logger.warn(
      fields,
      'policy profile not taken: it loosens, and POLICY_ACCEPT_LOOSENING is false',
    );
    return 'refused';
  }
  inForce.current = next;
  logger[looser.length > 0 ? 'warn' : 'info'](fields, 'policy profile changed');
  warnOfCallers(next, tokens, logger);
  return 'applied';
}

const MOST_SHOWN = 20;

/** Names in a profile file that no token has: misspelt, or their tokens are still to come. */
export function warnOfCallers(
  { callers }: Profiles,
  tokens: Access['tokens'],
  logger: Logger,
): void {
  const named = tokens?.callers ?? new Set();
  const unknown = [...callers.keys()].filter((caller) => !named.has(caller));
  if (unknown.length === 0) return;
  const fields = { callers: unknown.slice(0, MOST_SHOWN), count: unknown.length };
  logger.warn(
    fields,
    'policy profile has callers that no token names; POLICY_API_TOKENS takes `name:token`',
  );
}

const digestsOf = ({ all }: Profiles) =>
  Object.fromEntries(all.map((profile) => [profile.name, compileProfile(profile).digest]));

function isSame(before: Profiles, next: Profiles): boolean {
  const told = (profiles: Profiles) =>
    JSON.stringify([
      profiles.default.name,
      digestsOf(profiles),
      [...profiles.callers].map(([caller, { name }]) => [caller, name]).sort(),
    ]);
  return told(before) === told(next);
}
