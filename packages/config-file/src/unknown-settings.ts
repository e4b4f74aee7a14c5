import { closestMatch } from 'leven';

type Environment = Readonly<Record<string, string | undefined>>;

/** Finds variables with this `prefix` that are not settings (docs/contract.md, "Configuration"). */
export function unknownSettings(prefix: string, known: readonly string[], env: Environment) {
  const misspelled: Record<string, string> = {};
  const warnings: string[] = [];
  for (const [name, value] of Object.entries(env)) {
    const isForeign = !name.toUpperCase().startsWith(`${prefix}_`);
    if (isForeign || known.includes(name) || isMadeByKubernetes(name, value)) continue;

    const meant = probablyMeant(name, prefix, known);
    if (meant === undefined)
      warnings.push(
        `${name} is not a setting of this service and is ignored${portAdvice(name, prefix)}`,
      );
    else
      misspelled[name] = `is not a setting; rename it to ${meant} if you meant that, or remove it`;
  }
  return { misspelled, warnings };
}

/** docker-compose.yml reads `POLICY_PORT`, so people set it for a service that runs without it. */
const portAdvice = (name: string, prefix: string): string =>
  name === `${prefix}_PORT` ? `; to choose the port, set ${prefix}_BIND_ADDR` : '';

const MADE_BY_KUBERNETES =
  /_SERVICE_(?:HOST|PORT(?:_[A-Z0-9_]+)?)$|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/;
const ADDRESS = /^(?:tcp|udp|sctp):\/\//;

/** True if a variable looks like one that Kubernetes adds, such as `POLICY_PORT_8081_TCP`. */
const isMadeByKubernetes = (name: string, value = '') =>
  MADE_BY_KUBERNETES.test(name) || (name.endsWith('_PORT') && ADDRESS.test(value));

const CHARACTERS_PER_ERROR = 4;
const MAX_ERRORS = 3;

/**
 * Names the setting that a misspelled name probably refers to. The first match decides:
 * 1. The setting with the same name, ignoring letter case and an extra prefix.
 * 2. A setting that differs by one character.
 * 3. The settings with the fewest extra or missing words, such as `POLICY_APPROVER_TOKENS
 *    or POLICY_API_TOKENS` for `POLICY_TOKENS`.
 * 4. The setting that is most similar to `name`, if only a few characters differ.
 */
function probablyMeant(name: string, prefix: string, known: readonly string[]): string | undefined {
  const given = name.toUpperCase();
  const bare = given.slice(prefix.length + 1);
  const exact = known.find((each) => each === given || each === bare);
  if (exact !== undefined) return exact;

  const own = known.filter((each) => each.startsWith(`${prefix}_`));
  const almost = closestMatch(given, own, { maxDistance: 1 });
  if (almost !== undefined) return almost;

  const alike = own.filter((each) => wordsAreIn(given, each) || wordsAreIn(each, given));
  const apart = (each: string) => Math.abs(each.split('_').length - given.split('_').length);
  const fewest = Math.min(...alike.map(apart));
  if (alike.length > 0) return alike.filter((each) => apart(each) === fewest).join(' or ');

  const maxDistance = Math.min(MAX_ERRORS, Math.ceil(bare.length / CHARACTERS_PER_ERROR));
  return closestMatch(given, own, { maxDistance });
}

function wordsAreIn(short: string, long: string): boolean {
  const words = long.split('_');
  return short.split('_').every((word) => words.includes(word));
}
