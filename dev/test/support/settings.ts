import * as gateway from '@gatehouse/example-gateway/config';
import * as executor from '@gatehouse/executor-service/config';
import * as policy from '@gatehouse/policy-service/config';
import type { ServiceName } from './deployed.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The only readers of the names of settings, each of its service. */
export const READERS = {
  policy: policy.readConfig,
  executor: executor.readConfig,
  gateway: gateway.readConfig,
};

/**
 * Names that are not ours: Node's own, and what the exporters of OpenTelemetry read by
 * themselves.
 */
export const FOREIGN = new Set(['NODE_ENV', 'OTEL_SERVICE_NAME', 'OTEL_RESOURCE_ATTRIBUTES']);

/**
 * The names that a service looks up in its environment, seen as it reads its settings.
 */
export function settingsOf(service: ServiceName): Set<string> {
  const names = new Set<string>();
  const env = new Proxy<Environment>(
    {},
    {
      get: (_, name) => {
        names.add(String(name));
        return undefined;
      },
    },
  );
  READERS[service](env);
  return names;
}
