import { closestMatch } from 'leven';
import type { Environment } from './settings.ts';

interface UnknownSettings {
  /** Messages by name: each is probably meant for a setting that would be missing. */
  readonly misspelt: Readonly<Record<string, string>>;
  /** For the log. */
  readonly warnings: readonly string[];
}

/** Finds variables with the prefix of a service that are not settings (contract, section 1). */
export function unknownSettings(
  prefix: string,
  known: readonly string[],
  env: Environment,
): UnknownSettings {
  const misspelt: Record<string, string> = {};
  const warnings: string[] = [];
  for (const [name, value] of Object.entries(env)) {
    const isForeign = !name.toUpperCase().startsWith(`${prefix}_`);
    if (isForeign || known.includes(name) || isMadeByKubernetes(name, value)) continue;
    const meant = probablyMeant(name, prefix, known);
    if (meant === undefined)
      warnings.push(`${name} is not a setting of this service, and is ignored`);
    else misspelt[name] = `is not a setting; ${meant} is probably meant: rename it, or remove it`;
  }
  return { misspelt, warnings };
}

const OF_SERVICE = /_SERVICE_(?:HOST|PORT(?:_[A-Z0-9_]+)?)$/;
const OF_PORT = /_PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/;
const ADDRESS = /^(?:tcp|udp|sctp):\/\//;

/** Every container gets them for each service of its namespace, as for one named `policy`. */
function isMadeByKubernetes(name: string, value = ''): boolean {
  const made = OF_SERVICE.test(name) || OF_PORT.test(name);
  return made || (name.endsWith('_PORT') && ADDRESS.test(value));
}

/** One typing error in four characters is likely; more than three are another word. */
const CHARACTERS_PER_ERROR = 4;
const MAX_ERRORS = 3;

/**
 * The setting that a name probably stands for:
 * 1. one in another case, or one of all services, which have no prefix
 * 2. the one that has the same words, the fewest left out or added, if there is only one
 * 3. one that is only a few characters away
 */
function probablyMeant(name: string, prefix: string, known: readonly string[]): string | undefined {
  const given = name.toUpperCase();
  const bare = given.slice(prefix.length + 1);
  const exact = known.find((each) => each === given || each === bare);
  if (exact !== undefined) return exact;
  const own = known.filter((each) => each.startsWith(`${prefix}_`));
  const alike = own.filter((each) => wordsAreIn(given, each) || wordsAreIn(each, given));
  const apart = (each: string) => Math.abs(each.split('_').length - given.split('_').length);
  const [nearest, next] = alike.sort((one, other) => apart(one) - apart(other));
  if (nearest !== undefined && (next === undefined || apart(nearest) < apart(next))) return nearest;
  const maxDistance = Math.min(MAX_ERRORS, Math.ceil(bare.length / CHARACTERS_PER_ERROR));
  return closestMatch(given, own, { maxDistance });
}

/** Whether a name has all words of another, in their order. */
function wordsAreIn(short: string, long: string): boolean {
  const pattern = short.split('_').join('_(?:[^_]+_)*');
  return new RegExp(`^${pattern}(?:_|$)`).test(long);
}
