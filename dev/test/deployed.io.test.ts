import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Processes } from '../processes.ts';
import { mainOf } from '../services.ts';
import { type Deployed, deployed, ROOT, type ServiceName } from './support/deployed.ts';
import { FOREIGN, READERS, settingsOf } from './support/settings.ts';

const MAINS = {
  policy: mainOf('policy'),
  executor: mainOf('executor'),
  gateway: join(ROOT, 'examples/gateway/src/main.ts'),
};

const BIND = {
  policy: 'POLICY_BIND_ADDR',
  executor: 'HTTP_EXECUTOR_BIND_ADDR',
  gateway: 'GATEWAY_BIND_ADDR',
};

const DEPLOYED = deployed();

describe('what is deployed exists in the code', () => {
  it('names of settings are found by looking at who reads them', () => {
    expect([...settingsOf('policy')]).toEqual(
      expect.arrayContaining(['POLICY_BIND_ADDR', 'LOG_LEVEL', 'POLICY_API_TOKENS_FILE']),
    );
    expect([...settingsOf('policy')]).not.toContain('HTTP_EXECUTOR_BIND_ADDR');
    expect([...settingsOf('executor')]).toContain('HTTP_EXECUTOR_ALLOWED_HOSTS');
  });

  it('both services are deployed somewhere', () => {
    expect(DEPLOYED.map(({ service }) => service)).toEqual(
      expect.arrayContaining(['policy', 'executor']),
    );
  });

  it.each(DEPLOYED)(
    '$where: something is said about the service',
    ({ settings, ports }: Deployed) => {
      expect(Object.keys(settings).length + ports.length).toBeGreaterThan(0);
    },
  );

  it.each(DEPLOYED)(
    '$where: the service reads every setting',
    ({ service, settings }: Deployed) => {
      const known = settingsOf(service);
      expect(
        Object.keys(settings).filter((name) => !known.has(name) && !FOREIGN.has(name)),
      ).toEqual([]);
    },
  );

  it.each(DEPLOYED)(
    '$where: the service listens on every port',
    ({ service, settings, ports }: Deployed) => {
      const usual = READERS[service]({}).bind.port;
      const bind = settings[BIND[service]];
      expect(READERS[service]({ [BIND[service]]: bind }).bind.port).toBe(usual);
      for (const port of ports) expect(port).toBe(usual);
    },
  );
});

describe('what is asked of a running service', () => {
  const processes = new Processes({ graceMs: 5_000 });
  const running: Partial<Record<ServiceName, string>> = {};

  beforeAll(async () => {
    const services = new Set(DEPLOYED.map(({ service }) => service));
    for (const name of services) {
      const env = { ...process.env, [BIND[name]]: '127.0.0.1:0', LOG_LEVEL: 'info' };
      const service = processes.start({ name, main: MAINS[name], env, output: 'capture' });
      running[name] =
        (await service.printed(/listening at (http:\/\/127\.0\.0\.1:\d+)/, 20_000))[1] ?? '';
    }
  }, 65_000);
  afterAll(() => processes.stop());

  const asked = DEPLOYED.flatMap(({ where, service, paths }) =>
    [...new Set(paths)].map((path) => ({ where, service, path })),
  );
  it.each(asked)('$where: $path is served', async ({ service, path }) => {
    // Not 200: a service that has not passed its self-test answers 503, by the path that
    // it is asked for.
    expect((await fetch(`${running[service]}${path}`)).status).not.toBe(404);
  });
});
