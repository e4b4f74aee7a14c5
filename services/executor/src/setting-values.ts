import { HEADER_NAME } from '@gatehouse/contracts';
import {
  inspectSecrets,
  type LoadedDestinations,
  loadDestinations,
  parseNetworks,
} from '@gatehouse/http-executor';

// Each error message starts with a verb, because it is shown after the setting's name.

export function proxyUrl(text: string): string {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && hasEncodedLogin(url)) return url.href;
  throw new Error('must be an http or https URL; percent-encode any user name or password in it');
}

function hasEncodedLogin({ username, password }: URL): boolean {
  try {
    decodeURIComponent(`${username}:${password}`);
    return true;
  } catch {
    return false;
  }
}

/** Returns the networks if all are well-formed. @throws Error that begins with a verb */
export function networks(texts: readonly string[]): readonly string[] {
  parseNetworks(texts);
  return texts;
}

/** Returns the names if all are well-formed. @throws Error that begins with a verb */
export function headerNames(names: readonly string[]): readonly string[] {
  const malformed = names.filter((name) => !HEADER_NAME.test(name)).map((name) => `\`${name}\``);
  if (malformed.length > 0)
    throw new Error(`must list header names; replace these invalid names: ${malformed.join(', ')}`);
  return names;
}

/** Headers that are never shown, because they carry credentials of almost every upstream. */
const NEVER_SHOWN: ReadonlySet<string> = new Set(['authorization', 'cookie', 'set-cookie']);

export function shownHeaderNames(names: readonly string[]): readonly string[] {
  const never = names.filter((name) => NEVER_SHOWN.has(name.trim().toLowerCase()));
  if (never.length > 0) throw new Error(`must not list ${never.join(', ')}; leave it out`);
  return headerNames(names);
}

export function destinationsFile(path: string): LoadedDestinations {
  if (path === '') throw new Error('is empty; leave it unset to use the allowlist');
  const loaded = mustLoad(path);
  const { errors } = inspectSecrets(loaded);
  if (errors.length > 0)
    throw new Error(
      `names a destinations file whose credentials cannot be used; correct these secret files:\n${errors.join('\n')}`,
    );
  return loaded;
}

function mustLoad(path: string): LoadedDestinations {
  try {
    return loadDestinations(path);
  } catch (error) {
    throw new Error(`must name a valid destinations file:\n${(error as Error).message}`);
  }
}
