import { readFileSync } from 'node:fs';
import { type CleanedEnv, customCleanEnv, makeExactValidator } from 'envalid';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Every setting that cannot be used, one line each: the variable, its value, and what is
 * accepted.
 */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

type Specs = Parameters<typeof customCleanEnv>[1];

/**
 * Messages by variable about settings that are right each on its own; those that are not
 * are missing in `settings`.
 */
type Conflicts = (
  env: Environment,
  settings: Readonly<Record<string, unknown>>,
) => Readonly<Record<string, string>>;

/**
 * Reads and checks all settings of a service at once; throws a `SettingsError` that lists
 * every bad one.
 */
export function readSettings<S extends Specs>(
  given: Environment,
  specs: S,
  conflicts: Conflicts = () => ({}),
) {
  const env = withoutEmptyTelemetry(given);
  return customCleanEnv(env, specs, (settings) => settings, {
    reporter: ({ errors, env: settings }) => {
      const together = Object.entries(conflicts(env, settings as Record<string, unknown>));
      const wrong = {
        ...Object.fromEntries(together.map(([name, text]) => [name, new Error(text)])),
        ...errors,
      };
      const lines = Object.entries(wrong).map(
        ([name, error]) => `${name}=${shown(error, env[name])}: ${(error as Error).message}`,
      );
      if (lines.length > 0) throw new SettingsError(lines.join('\n'));
    },
  });
}

function shown(error: unknown, value: string | undefined): string | undefined {
  return error instanceof SecretError ? '(not shown)' : JSON.stringify(value);
}

/** Its setting is named without the value. */
class SecretError extends Error {}

/**
 * What `parse` makes of a setting that is never shown. INVARIANT: the errors of `parse`
 * do not show it either.
 */
export function secret<T>(parse: (text: string) => T) {
  return makeExactValidator<T>((text) => {
    try {
      return parse(text);
    } catch (error) {
      throw new SecretError((error as Error).message);
    }
  });
}

/**
 * What `parse` makes of the content of the file that a setting names; read once. An error
 * shows the path alone.
 */
export function fileOf<T>(parse: (content: string) => T) {
  return makeExactValidator<T>((path) => parse(contentOf(path)));
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`must name a file that can be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** Where to listen. */
export interface BindAddress {
  readonly host: string;
  readonly port: number;
}

/** `host:port`; an IPv6 address in brackets; port 0 takes any free one. */
export const bindAddress = makeExactValidator<BindAddress>((text) => {
  const [, bracketed, plain, digits] =
    /^(?:\[([0-9A-Fa-f:.]+)\]|([^\s:[\]]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = Number(digits);
  if (host === undefined || port > 65535)
    throw new Error('must be host:port, such as 127.0.0.1:8081 or [::1]:8081');
  return { host, port };
});

/** A whole number from `min` to `max`, both included. */
export function integer(min: number, max: number) {
  return makeExactValidator<number>((text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max) {
      throw new Error(`must be a whole number from ${min} to ${max}`);
    }
    return value;
  });
}

/** One of a closed list of words. */
export function oneOf<const T extends string>(...choices: readonly T[]) {
  return makeExactValidator<T>((text) => {
    const choice = choices.find((each) => each === text);
    if (choice === undefined) throw new Error(`must be one of ${choices.join(', ')}`);
    return choice;
  });
}

/** What `parse` makes of a comma-separated list; its error says which entry is wrong. */
export function listOf<T>(parse: (entries: readonly string[]) => T) {
  return makeExactValidator<T>((text) => parse(splitList(text)));
}

/** The entries of a comma-separated list, trimmed, blank ones left out. */
export function splitList(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** Settings that every service has. */
export const commonSettings = {
  LOG_LEVEL: oneOf(
    'trace',
    'debug',
    'info',
    'warn',
    'error',
    'fatal',
    'silent',
  )({ default: 'info' }),
  SHUTDOWN_DELAY_MS: integer(0, 600_000)({ default: 0 }),
  SHUTDOWN_GRACE_MS: integer(0, 600_000)({ default: 10_000 }),
  MAX_IN_FLIGHT: integer(1, 1_000_000)({ default: 2_000 }),
  MAX_EVENT_LOOP_DELAY_MS: integer(1, 600_000)({ default: 500 }),
};

/** The part of a configuration that `commonSettings` fills. */
export function commonConfig(settings: CleanedEnv<typeof commonSettings>) {
  return {
    logLevel: settings.LOG_LEVEL,
    load: {
      maxInFlight: settings.MAX_IN_FLIGHT,
      maxEventLoopDelayMs: settings.MAX_EVENT_LOOP_DELAY_MS,
    },
    shutdownDelayMs: settings.SHUTDOWN_DELAY_MS,
    shutdownGraceMs: settings.SHUTDOWN_GRACE_MS,
  };
}

/** OpenTelemetry has an empty variable count as unset; all others mean what they say. */
function withoutEmptyTelemetry(env: Environment): Environment {
  return new Proxy(env, {
    get: (target, name: string) =>
      name.startsWith('OTEL_') && target[name] === '' ? undefined : target[name],
  });
}
