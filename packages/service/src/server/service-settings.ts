import { unknownSettings } from '@gatehouse/config-file';
import type { CleanedEnv } from 'envalid';
import type { Access } from '../access/access.ts';
import { certificateCallers } from '../access/certificate-callers.ts';
import { type ApiToken, Tokens } from '../access/tokens.ts';
import { reloadAccess, type TokenConflicts } from './access-reload.ts';
import {
  type AccessValues,
  accessConflicts,
  accessSchema,
  accessValues,
  callerTokens,
  metricsTokens,
  prefixed,
  tlsOf,
  tokenSettingConflicts,
} from './access-settings.ts';
import {
  commonSettings,
  type Environment,
  readSettings,
  type Specs,
  type Values,
} from './settings.ts';
import { telemetrySettings, traceConfig } from './telemetry-settings.ts';

/**
 * Reads the settings of one service, including the settings that all services share.
 * @throws SettingsError that lists all bad settings
 */
export function readServiceSettings<S extends object & Specs>(
  prefix: string,
  own: S,
  env: Environment,
  ownConflicts: (env: Environment, valid: Values) => Readonly<Record<string, string>> = () => ({}),
) {
  const shared = { ...accessSchema(prefix), ...commonSettings, ...telemetrySettings };
  const specs = { ...own, ...shared };
  const { misspelled, warnings } = unknownSettings(prefix, Object.keys(specs), env);
  const settings = readSettings(env, specs, (given, valid) => ({
    ...accessConflicts(prefix, given, valid),
    ...ownConflicts(given, valid),
    ...misspelled,
  }));
  const conflicts = (latest: AccessValues) => ({
    ...tokenSettingConflicts(prefix, latest),
    ...ownConflicts(env, { ...settings, ...prefixed(prefix, latest) }),
  });
  const config = {
    access: readAccess(prefix, settings, env, conflicts),
    warnings,
    bindSetting: `${prefix}_BIND_ADDR`,
    logLevel: settings.LOG_LEVEL,
    load: {
      maxInFlight: settings.MAX_IN_FLIGHT,
      maxEventLoopDelayMs: settings.MAX_EVENT_LOOP_DELAY_MS,
    },
    shutdownDelayMs: settings.SHUTDOWN_DELAY_MS,
    shutdownGraceMs: settings.SHUTDOWN_GRACE_MS,
    traces: traceConfig(settings),
  };
  return { settings: settings as CleanedEnv<S>, config };
}

function readAccess(
  prefix: string,
  settings: Values,
  env: Environment,
  conflicts: TokenConflicts,
): Access {
  const values = accessValues(prefix, settings);
  const known = (tokens: readonly ApiToken[]) =>
    tokens.length === 0 ? undefined : new Tokens(tokens);
  const tokens = {
    tokens: known(callerTokens(values)),
    metricsTokens: known(metricsTokens(values)),
  };
  const tls = tlsOf(values);
  return {
    ...tokens,
    tls,
    corsOrigins: values.CORS_ORIGINS,
    certificateCaller: tls?.clientCa === undefined ? undefined : certificateCallers(),
    reload: (deps) => reloadAccess({ prefix, env, values, ...tokens, conflicts }, deps),
  };
}
