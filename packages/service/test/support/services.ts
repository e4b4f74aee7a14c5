import * as testing from '@gatehouse/testing';

/** Both services, with one operation each. */
export const SERVICES = [
  {
    name: 'policy',
    prefix: 'POLICY',
    method: 'POST',
    path: '/policy/check',
    body: '{}',
    allow: 'POST',
  },
  {
    name: 'executor',
    prefix: 'HTTP_EXECUTOR',
    method: 'GET',
    path: '/sandbox',
    body: undefined,
    allow: 'GET, HEAD',
  },
] as const;

export type Service = (typeof SERVICES)[number];

/** Settings by name. The names omit the service's prefix, such as `POLICY_`. */
type Settings = Readonly<Record<string, string>>;

const environment = ({ prefix }: Service, settings: Settings) =>
  Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      name === 'LOG_LEVEL' ? name : `${prefix}_${name}`,
      value,
    ]),
  );

/** Starts the real service as a separate process. */
export const startService = (service: Service, settings: Settings) =>
  testing.startService(service.name, environment(service, settings));

/** Runs the service until it exits, for settings with which it cannot start. */
export const refusedStart = (service: Service, settings: Settings) =>
  testing.runToExit(service.name, environment(service, settings));

/** Starts the service before the first test of a group and stops it after the last one. */
export const sharedService = (service: Service, settings: () => Promise<Settings>) =>
  testing.shared(async () => startService(service, await settings()));

/** Log lines so far at this level. */
export const logged = (running: testing.TestProcess, level: string) =>
  running.lines().filter((line) => line.level === level);
