import * as testing from '@gatehouse/testing';
import { clientOf, type Executor } from './executor.ts';

export type ServiceProcess = testing.ServiceProcess & Executor;

/** Starts the service as a separate process on a free loopback port. */
export async function startProcess(
  env: Readonly<Record<string, string>> = {},
): Promise<ServiceProcess> {
  const service = await testing.startService('executor', env);
  return Object.assign(service, clientOf(service.url));
}
