import * as testing from '@gatehouse/testing';
import { clientOf, type Executor } from './executor.ts';

export type ServiceProcess = testing.ServiceProcess & Executor;

/** The service as a process of its own, on a free port of loopback, and its client. */
export async function startProcess(
  env: Readonly<Record<string, string>> = {},
): Promise<ServiceProcess> {
  const service = await testing.startService('executor', env);
  return Object.assign(service, clientOf(service.url));
}
