import { decodeText, parseYaml, type ReadFile, readTextFile } from '@gatehouse/config-file';
import { ProfileSet, type ProfileSource, type Violation } from '@gatehouse/contracts';
import { type Checked, compileValidator } from '@gatehouse/contracts/validation';
import { completeProfile, InvalidProfile, type Profile } from '../index.ts';

export interface Profiles {
  readonly default: Profile;
  readonly all: readonly Profile[];
  readonly callers: ReadonlyMap<string, Profile>;
}

export function profilesOf(profile: Profile): Profiles {
  return { default: profile, all: [profile], callers: new Map() };
}

/** Returns the caller's own profile, or the default profile if the caller has none. */
export function profileFor(profiles: Profiles, caller: string | undefined): Profile {
  const own = caller === undefined ? undefined : profiles.callers.get(caller);
  return own ?? profiles.default;
}

/** Maximum size of a profile file in bytes. Parsing a larger file would block requests. */
const MAX_BYTES = 32 * 1024;

/** Reads a file with one or more profiles. @throws {InvalidFile} with a list of up to 20 errors */
export function readProfileFile(path: string, readFile?: ReadFile): Profiles {
  return readProfiles(readTextFile(path, MAX_BYTES, readFile), path);
}

/** Parses a profile file. `file` is the file name for error messages. @throws InvalidFile */
export function readProfiles(content: string | Uint8Array, file: string): Profiles {
  const text = typeof content === 'string' ? content : decodeText(content, file, MAX_BYTES);
  return parseYaml(text, file, (value) => {
    if (Object.hasOwn(Object(value), 'profiles')) return readProfileSet(value);
    const read = toProfile(value);
    return read.ok ? { ok: true, value: profilesOf(read.value) } : read;
  });
}

function toProfile(source: unknown): Checked<Profile> {
  try {
    return { ok: true, value: completeProfile(source as ProfileSource) };
  } catch (error) {
    if (error instanceof InvalidProfile) return { ok: false, violations: [...error.violations] };
    throw error;
  }
}

const checkSet = compileValidator(ProfileSet);

function readProfileSet(value: unknown): Checked<Profiles> {
  const checked = checkSet(value);
  if (!checked.ok) return checked;

  const set = checked.value;
  const violations = nameViolations(set);
  const byName = new Map<string, Profile>();
  for (const [index, source] of set.profiles.entries()) {
    const read = toProfile(source);
    if (read.ok) byName.set(source.name, read.value);
    else
      for (const { pointer, message } of read.violations)
        violations.push({ pointer: `/profiles/${index}${pointer}`, message });
  }
  const otherwise = byName.get(set.default);
  if (violations.length > 0 || otherwise === undefined) return { ok: false, violations };

  const callers = Object.entries(set.callers ?? {}).map(
    ([caller, name]) => [caller, byName.get(name) ?? otherwise] as const,
  );
  const all = [...byName.values()];
  return { ok: true, value: { default: otherwise, all, callers: new Map(callers) } };
}

const REPEATED = 'is already the name of an earlier profile; choose a different name';
const UNUSED =
  'is unused, because it is neither the `default` nor in `callers`; use it or remove it';

function nameViolations({ default: otherwise, profiles, callers = {} }: ProfileSet): Violation[] {
  const names = profiles.map(({ name }) => name);
  const used = [otherwise, ...Object.values(callers)];
  const known = [...new Set(names)].join(', ');
  const message = `must be the name of a profile in this file: ${known}`;
  const unknown = (pointer: string, name: string) =>
    names.includes(name) ? [] : [{ pointer, message }];
  return [
    ...unknown('/default', otherwise),
    ...Object.entries(callers).flatMap(([caller, name]) => unknown(`/callers/${caller}`, name)),
    ...names.flatMap((name, index) => {
      const pointer = `/profiles/${index}/name`;
      if (names.indexOf(name) < index) return [{ pointer, message: REPEATED }];
      return used.includes(name) ? [] : [{ pointer, message: UNUSED }];
    }),
  ];
}
