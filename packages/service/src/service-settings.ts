import type { CleanedEnv } from 'envalid';
import { accessSchema, checkAccess, readAccess } from './access/access.ts';
import {
  commonConfig,
  commonSettings,
  type Environment,
  readSettings,
  type Specs,
} from './settings.ts';
import { telemetryConfig, telemetrySettings } from './telemetry/settings.ts';

/** Reads own and common settings at once. @throws SettingsError that lists every bad one. */
export function readServiceSettings<S extends object & Specs>(
  prefix: string,
  own: S,
  env: Environment,
) {
  const shared = { ...accessSchema(prefix), ...commonSettings, ...telemetrySettings };
  const settings = readSettings(env, { ...own, ...shared }, checkAccess(prefix));
  const access = readAccess(prefix, settings);
  const config = {
    access,
    bindSetting: `${prefix}_BIND_ADDR`,
    ...commonConfig(settings),
    otel: telemetryConfig(settings),
  };
  return { settings: settings as CleanedEnv<S>, config };
}
