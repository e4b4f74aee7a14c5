import { isDeepStrictEqual } from 'node:util';
import { compileProfile } from '@gatehouse/policy-engine';
import { changeOf, type Profiles, readProfileFile } from '@gatehouse/policy-profile';
import type { Access, Logger } from '@gatehouse/service';
import { Counter, Gauge, type Registry } from 'prom-client';

/** Profiles currently in force. A reload replaces all of them at once. */
export interface ProfilesInForce {
  current: Profiles;
}

export interface ReloadDeps {
  readonly path: string;
  readonly inForce: ProfilesInForce;
  readonly acceptLoosening: boolean;
  readonly access: Access | undefined;
  readonly logger: Logger;
  readonly registry: Registry;
}

const RESULTS = ['applied', 'unchanged', 'refused', 'invalid'] as const;

/**
 * Returns a function that reloads the profile file and never throws. A file with mistakes changes
 * nothing.
 */
export function reloader(deps: ReloadDeps): () => void {
  const reloads = new Counter({
    name: 'policy_profile_reloads_total',
    help: 'Reloads of the profile file, by result: applied, unchanged, refused because the profile is looser, or invalid.',
    labelNames: ['result'],
    registers: [deps.registry],
  });
  for (const result of RESULTS) reloads.inc({ result }, 0);
  let last: (typeof RESULTS)[number] = 'unchanged';
  return () => {
    const result = reload(deps);
    reloads.inc({ result });
    if (last === 'invalid' && result === 'unchanged')
      deps.logger.info({ profile_file: deps.path }, 'policy profile valid again, and unchanged');
    last = result;
  };
}

function reload(deps: ReloadDeps): (typeof RESULTS)[number] {
  const { path, inForce, acceptLoosening, access, logger } = deps;
  const before = inForce.current;
  const next = readNewProfiles(path, logger);
  if (next === undefined) return 'invalid';
  if (isDeepStrictEqual(before, next)) return 'unchanged';
  const { kind, looser, tighter } = changeOf(before, next);
  const digests = { digests_before: digestsOf(before), digests: digestsOf(next) };
  const fields = { profile_file: path, change: kind, ...digests, looser, tighter };
  if (looser.length > 0 && !acceptLoosening) {
    logger.warn(
      fields,
      'policy profile refused because it is looser and POLICY_ACCEPT_LOOSENING is false',
    );
    return 'refused';
  }
  inForce.current = next;
  logger[looser.length > 0 ? 'warn' : 'info'](fields, 'policy profile changed');
  warnOfCallers(next, access, logger);
  return 'applied';
}

function readNewProfiles(path: string, logger: Logger): Profiles | undefined {
  try {
    return readProfileFile(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    logger.error(
      { profile_file: path, reason },
      'policy profile invalid; the last good one stays in force',
    );
    return undefined;
  }
}

const digestsOf = ({ all }: Profiles) =>
  Object.fromEntries(all.map((profile) => [profile.name, compileProfile(profile).digest]));

const MOST_SHOWN = 20;

/**
 * Warns about callers that no token names, for example because of a typo. Never warns if client
 * certificates name callers, because they may name any caller.
 */
export function warnOfCallers(
  { callers }: Profiles,
  access: Access | undefined,
  logger: Logger,
): void {
  if (access?.certificateCaller !== undefined) return;
  const named = access?.tokens?.callers ?? new Set();
  const unknown = [...callers.keys()].filter((caller) => !named.has(caller));
  if (unknown.length === 0) return;
  const fields = { callers: unknown.slice(0, MOST_SHOWN), count: unknown.length };
  logger.warn(
    fields,
    'policy profile has callers without a token; add their tokens to POLICY_API_TOKENS as `name:token`',
  );
}

export function measureProfiles(registry: Registry, inForce: ProfilesInForce): void {
  new Gauge({
    name: 'policy_profile_info',
    help: 'Always 1. The labels describe each profile in force.',
    labelNames: ['profile', 'version', 'digest'],
    registers: [registry],
    collect() {
      this.reset();
      for (const profile of inForce.current.all) {
        const { name, version } = profile;
        this.set({ profile: name, version, digest: compileProfile(profile).digest }, 1);
      }
    },
  });
}
