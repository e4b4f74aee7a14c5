import { SERVICE_PATHS } from '@gatehouse/contracts';
import { buildApp as buildExecutor } from '@gatehouse/executor-service';
import { readConfig as readExecutorConfig } from '@gatehouse/executor-service/config';
import { buildApp as buildPolicy } from '@gatehouse/policy-service';
import { readConfig as readPolicyConfig } from '@gatehouse/policy-service/config';
import { createLogger } from '@gatehouse/service';

export async function openApiDocuments(): Promise<Readonly<Record<string, string>>> {
  const logger = createLogger('openapi', 'error');
  const policy = await buildPolicy({ config: readPolicyConfig({}), logger });
  const executor = await buildExecutor({ config: readExecutorConfig({}), logger });
  const documents = Object.entries({ policy, executor }).map(async ([name, app]) => {
    const document = (await app.inject(SERVICE_PATHS.openapi)).json();
    await app.close();
    return [`openapi/${name}.json`, `${JSON.stringify(document, null, 2)}\n`];
  });
  return Object.fromEntries(await Promise.all(documents));
}
