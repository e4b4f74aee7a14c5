import * as testing from '@gatehouse/testing';

/** The services that this package makes alike, and one operation of each. */
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

/** By their names without the prefix of the service. */
type Settings = Readonly<Record<string, string>>;

const environment = ({ prefix }: Service, settings: Settings) =>
  Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      name === 'LOG_LEVEL' ? name : `${prefix}_${name}`,
      value,
    ]),
  );

/** The real service as a process of its own. */
export const startService = (service: Service, settings: Settings) =>
  testing.startService(service.name, environment(service, settings));

/** Runs the service to its end, for settings it cannot start with. */
export const refusedStart = (service: Service, settings: Settings) =>
  testing.runToExit(service.name, environment(service, settings));

/** Starts before the first test of a group and ends after its last one. */
export const sharedService = (service: Service, settings: () => Promise<Settings>) =>
  testing.shared(async () => startService(service, await settings()));

/** The log lines so far at this level. */
export const logged = (running: testing.TestProcess, level: string) =>
  running.lines().filter((line) => line.level === level);
