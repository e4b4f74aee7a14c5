import { closestMatch } from 'leven';
import { commonSettings, type Environment } from './settings.ts';

interface UnknownSettings {
  /** Messages by name: each is probably meant for a setting that would be missing. */
  readonly misspelt: Readonly<Record<string, string>>;
  /** For the log. */
  readonly warnings: readonly string[];
}

/** Finds variables that are not settings, but look like one (contract, section 1). */
export function unknownSettings(
  prefix: string,
  known: readonly string[],
  env: Environment,
): UnknownSettings {
  const misspelt: Record<string, string> = {};
  const warnings: string[] = [];
  for (const [name, value] of Object.entries(env)) {
    if (known.includes(name) || isMadeByKubernetes(name, value)) continue;
    const isForeign = !name.toUpperCase().startsWith(`${prefix}_`);
    const meant = isForeign ? sharedSetting(name) : probablyMeant(name, prefix, known);
    if (meant === undefined && isForeign) continue;
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
  const begin = `${prefix}_`;
  const given = name.toUpperCase();
  const bare = given.slice(begin.length);
  const exact = known.find((each) => each === given || each === bare);
  if (exact !== undefined) return exact;
  const own = known.filter((each) => each.startsWith(begin));
  const alike = own.filter((each) => wordsAreIn(given, each) || wordsAreIn(each, given));
  const apart = (each: string) => Math.abs(each.split('_').length - given.split('_').length);
  const least = Math.min(...alike.map(apart));
  const [nearest, ...more] = alike.filter((each) => apart(each) === least);
  if (nearest !== undefined && more.length === 0) return nearest;
  const maxDistance = Math.min(MAX_ERRORS, Math.ceil(bare.length / CHARACTERS_PER_ERROR));
  return closestMatch(given, own, { maxDistance });
}

/** Short names, such as `LOG_LEVEL`, are near variables of other programs. */
const SHARED = Object.keys(commonSettings).filter((name) => name.split('_').length > 2);
const MAX_SHARED_ERRORS = 2;
const MIN_CHARS = 12;

/** The setting without a prefix that a name misspells, or whose unit it lacks. */
function sharedSetting(name: string): string | undefined {
  const given = name.toUpperCase();
  if (given.length < MIN_CHARS) return undefined;
  const begun = SHARED.find((each) => each === given || each.startsWith(`${given}_`));
  return begun ?? closestMatch(given, SHARED, { maxDistance: MAX_SHARED_ERRORS });
}

/** Whether a name has all words of another, in their order. */
function wordsAreIn(short: string, long: string): boolean {
  const words = short.split('_');
  let found = 0;
  for (const word of long.split('_')) if (word === words[found]) found += 1;
  return found === words.length;
}
