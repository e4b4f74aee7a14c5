import { SERVICES, type ServiceName, type Subject, startSubject } from '../support/subject.ts';

export const HEAP_MB = 256;

interface ServiceSetup {
  readonly service?: ServiceName | undefined;
  readonly settings?: Readonly<Record<string, string>> | undefined;
  /** A module of `preload/` that the service loads first. */
  readonly preload?: string | undefined;
}

export interface Service extends Subject {
  readonly port: number;
}

/** A service in a process of its own, with a small heap. */
export async function startService(setup: ServiceSetup): Promise<Service> {
  const { service = 'executor', settings, preload } = setup;
  const { main, address } = SERVICES[service];
  const options = [`--max-old-space-size=${HEAP_MB}`];
  if (preload !== undefined)
    options.push('--import', new URL(`preload/${preload}`, import.meta.url).href);
  const env = { [address]: '127.0.0.1:0', ...settings };
  // With SIGTERM it would wait for what an attack has left.
  const how = { env, options, signal: 'SIGKILL' } as const;
  const subject = await startSubject(main, how);
  return { ...subject, port: Number(new URL(subject.url).port) };
}
