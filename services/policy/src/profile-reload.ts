import { isDeepStrictEqual } from 'node:util';
import { type Reloadable, reloadable } from '@gatehouse/config-file';
import { compileProfile } from '@gatehouse/policy';
import { changeOf, type Profiles, readProfileFile } from '@gatehouse/policy/files';
import { type Access, type Logger, warnOfUnknownCallers } from '@gatehouse/service';
import { Counter, Gauge, type Registry } from 'prom-client';

/** Profiles currently in force. A reload replaces all profiles at once. */
export interface ProfilesInForce {
  current: Profiles;
}

interface ReloadDeps {
  readonly path: string;
  readonly inForce: ProfilesInForce;
  readonly acceptLoosening: boolean;
  readonly access: Access;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly pollMs: number | undefined;
}

/** Reloads the profile file when it changes. An invalid file is ignored, and the log says why. */
export function reloadProfiles(deps: ReloadDeps): Reloadable {
  const { path, inForce, logger, pollMs } = deps;
  warnOfCallers(deps);
  const reloads = new Counter({
    name: 'policy_profile_reloads_total',
    help: 'Reloads of the profile file, by result: applied, unchanged, refused (the new profile is looser than the current one) or invalid.',
    labelNames: ['result'],
    registers: [deps.registry],
  });
  for (const result of ['applied', 'unchanged', 'refused', 'invalid']) reloads.inc({ result }, 0);
  return reloadable({
    path,
    read: (readFile) => readProfileFile(path, readFile),
    apply: (next, isFirst) => {
      const isSame = isDeepStrictEqual(inForce.current, next);
      reloads.inc({ result: isSame ? 'unchanged' : applyProfiles(next, deps) });
      if (isSame && !isFirst)
        logger.info({ profile_file: path }, 'file read again; nothing has changed');
    },
    failed: ({ message: reason }) => {
      reloads.inc({ result: 'invalid' });
      logger.error(
        { profile_file: path, reason },
        'policy profile invalid; the last good one stays in force',
      );
    },
    pollMs,
  });
}

function applyProfiles(next: Profiles, deps: ReloadDeps): 'applied' | 'refused' {
  const { path, inForce, acceptLoosening, logger } = deps;
  const before = inForce.current;
  const { kind, looser, tighter } = changeOf(before, next);
  const digests = { digests_before: digestsOf(before), digests: digestsOf(next) };
  const fields = { profile_file: path, change: kind, ...digests, looser, tighter };
  if (looser.length > 0 && !acceptLoosening) {
    logger.warn(
      fields,
      'policy profile refused because it is looser than the current one and POLICY_ACCEPT_LOOSENING is false',
    );
    return 'refused';
  }

  inForce.current = next;
  logger[looser.length > 0 ? 'warn' : 'info'](fields, 'policy profile changed');
  warnOfCallers(deps);
  return 'applied';
}

const digestsOf = ({ all }: Profiles) =>
  Object.fromEntries(all.map((profile) => [profile.name, compileProfile(profile).digest]));

function warnOfCallers({ inForce, access, logger }: ReloadDeps): void {
  warnOfUnknownCallers(
    inForce.current.callers.keys(),
    access,
    logger,
    'some callers in the profile file have no token; add their tokens to POLICY_API_TOKENS as `name:token`',
  );
}

export function measureProfiles(registry: Registry, inForce: ProfilesInForce): void {
  new Gauge({
    name: 'policy_profile_info',
    help: 'Always 1. The labels name each profile in force, its version and its digest.',
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
