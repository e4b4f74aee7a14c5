import { setImmediate as nextTurn } from 'node:timers/promises';
import { compileProfile } from '@gatehouse/policy-engine';
import {
  changeOf,
  InvalidProfileFile,
  type Profiles,
  readProfileFile,
} from '@gatehouse/policy-profile';
import type { Logger, Metrics } from '@gatehouse/service';
import type { ProfilesInForce } from './in-force.ts';

const RESULTS = ['applied', 'unchanged', 'refused', 'invalid'] as const;

export interface ReloadDeps {
  readonly path: string;
  readonly inForce: ProfilesInForce;
  readonly acceptLoosening: boolean;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Reads the profile file again, whole or nothing; the last good one stays. Never rejects. */
export function reloader(deps: ReloadDeps): () => Promise<void> {
  const family = deps.metrics.counter({
    name: 'policy.profile.reloads',
    unit: '{reload}',
    help: 'Times that the profile file was read again: applied, unchanged, refused since it loosens, or invalid.',
    labels: ['result'],
  });
  for (const result of RESULTS) family.with(result);
  let running = Promise.resolve();
  const reload = async () => family.with(await reloadOnce(deps)).add();
  return () => {
    running = running.then(reload);
    return running;
  };
}

async function reloadOnce(deps: ReloadDeps): Promise<(typeof RESULTS)[number]> {
  const { path, inForce, acceptLoosening, logger } = deps;
  try {
    const next = readProfileFile(path);
    const before = inForce.current;
    // A turn for each, so that no other request waits for all.
    for (const profile of next.all) {
      await nextTurn();
      compileProfile(profile);
    }
    const digests = { digests_before: digestsOf(before), digests: digestsOf(next) };
    if (isSame(before, next)) return 'unchanged';
    const { kind: change, looser, tighter } = changeOf(before, next);
    const fields = { profile_file: path, change, ...digests, looser, tighter };
    if (looser.length > 0 && !acceptLoosening) {
      logger.warn(
        fields,
        'policy profile not taken: it loosens, and POLICY_ACCEPT_LOOSENING is false',
      );
      return 'refused';
    }
    inForce.replace(next);
    logger[looser.length > 0 ? 'warn' : 'info'](fields, 'policy profile changed');
    return 'applied';
  } catch (error) {
    const reason = error instanceof InvalidProfileFile ? error.message : String(error);
    logger.error({ profile_file: path, reason }, 'policy profile not taken: the last one stays');
    return 'invalid';
  }
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
