import { readFileSync } from 'node:fs';
import type { ReadFile } from '@gatehouse/config-file';
import { customCleanEnv, makeExactValidator } from 'envalid';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Lists every bad setting, one per line, with its name, its value and the accepted values. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

export type Specs = Parameters<typeof customCleanEnv>[1];

export type Values = Readonly<Record<string, unknown>>;

/** Returns a message for each setting that is valid by itself but contradicts another setting. */
type Conflicts = (env: Environment, valid: Values) => Readonly<Record<string, string>>;

/** @throws SettingsError that lists every bad setting */
export function readSettings<S extends Specs>(
  env: Environment,
  specs: S,
  conflicts: Conflicts = () => ({}),
) {
  return customCleanEnv(env, specs, (settings) => settings, {
    reporter: ({ errors, env: valid }) => {
      const together = Object.entries(conflicts(env, valid as Values));
      const contradictions = together.map(([name, text]) => [name, new Error(text)]);
      const wrong = { ...Object.fromEntries(contradictions), ...errors };
      const lines = Object.entries(wrong).map(([name, error]) => {
        // Hide the value of an unknown setting, because it may be a secret with a misspelled name.
        const value = isShown(specs, name) ? JSON.stringify(env[name]) : '(not shown)';
        return `${name}=${value}: ${(error as Error).message}`;
      });
      if (lines.length > 0) throw new SettingsError(lines.join('\n'));
    },
  });
}

function isShown(specs: unknown, name: string): boolean {
  const known = specs as Record<string, { readonly _parse: { readonly isSecret?: true } }>;
  return Object.hasOwn(known, name) && !known[name]?._parse.isSecret;
}

/** Setting whose value is never shown. INVARIANT: errors thrown by `parse` omit the value. */
export function secret<T>(parse: (text: string) => T) {
  return makeExactValidator<T>(Object.assign((text: string) => parse(text), { isSecret: true }));
}

/** Setting that names a file to read and parse. Errors show the path, never the content. */
export function fileOf<T>(parse: (content: string) => T) {
  return makeExactValidator<T>((path) => parse(readSettingFile(path)));
}

/** Setting parsed by a function that throws an error for an invalid value. */
export const parsedBy = makeExactValidator;

/** Reads the file that a setting names. The default `readFile` also reads pipes. */
export function readSettingFile(
  path: string,
  readFile: ReadFile = (file) => readFileSync(file),
): string {
  if (path === '') throw new Error('is empty; name a file or leave it unset');
  try {
    return readFile(path).toString();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(`must name a file that can be read (${code ?? message})`);
  }
}

/** Setting parsed by `read`. If `read` returns undefined, the error says `must be ${accepts}`. */
export function textAs<T>(accepts: string, read: (text: string) => T | undefined) {
  const parse = (text: string): T => {
    const value = read(text);
    if (value === undefined) throw new Error(`must be ${accepts}`);
    return value;
  };
  return makeExactValidator<T>(Object.assign(parse, { accepts }));
}

export interface BindAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Setting such as `127.0.0.1:8081` or `[::1]:8081`. Port 0 selects a free port. `localhost` means
 * 127.0.0.1, because Fastify would otherwise start a second server for `::1` without our listeners.
 */
export const bindAddress = textAs<BindAddress>(
  'host:port, such as 127.0.0.1:8081 or [::1]:8081',
  (text) => {
    const [, bracketed, plain, digits] =
      /^(?:\[([0-9A-Fa-f:.]+)\]|([^\s:[\]]+)):(\d{1,5})$/.exec(text) ?? [];
    const host = bracketed ?? (plain === 'localhost' ? '127.0.0.1' : plain);
    const port = Number(digits);
    return host === undefined || port > 65535 ? undefined : { host, port };
  },
);

export function integer(min: number, max: number) {
  return textAs<number>(`a whole number from ${min} to ${max}`, (text) => {
    const value = Number(text);
    return /^\d+$/.test(text) && value >= min && value <= max ? value : undefined;
  });
}

export function oneOf<const T extends string>(...choices: readonly T[]) {
  return textAs<T>(`one of ${choices.join(', ')}`, (text) => choices.find((each) => each === text));
}

/** Setting for the claim `iss` of signed texts, which both services must agree on. */
export const issuer = textAs<string>('a string of 1 to 200 visible ASCII characters', (text) =>
  /^[\x21-\x7e]{1,200}$/.test(text) ? text : undefined,
);

/** Setting with comma-separated entries. `parse` throws an error that names each wrong entry. */
export function listOf<T>(parse: (entries: readonly string[]) => T) {
  return makeExactValidator<T>((text) => parse(splitList(text)));
}

function splitList(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

const logLevel = oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent');
const count = integer(1, 1_000_000);
const delay = integer(1, 600_000);
const delayOrNone = integer(0, 600_000);

export const commonSettings = {
  LOG_LEVEL: logLevel({ default: 'info', desc: 'Lowest level that is logged.' }),
  MAX_IN_FLIGHT: count({
    default: 2_000,
    desc: 'Maximum number of requests in flight; further requests get a 503 with `Retry-After`.',
  }),
  MAX_EVENT_LOOP_DELAY_MS: delay({
    default: 500,
    desc: 'Requests get a 503 while the mean event loop delay is above this limit.',
  }),
  SHUTDOWN_DELAY_MS: delayOrNone({
    default: 0,
    desc: 'How long the service keeps accepting requests after SIGTERM or SIGINT. Meanwhile, `/readyz` answers 503 so that load balancers stop sending requests.',
  }),
  SHUTDOWN_GRACE_MS: delayOrNone({
    default: 20_000,
    desc: 'How long requests in flight may take to finish after the service stops accepting new requests.',
  }),
};
