import { freePort, type ServiceProcess, startService } from '@gatehouse/testing';

type Settings = Readonly<Record<string, string>>;

/** Executor that always has the same address, and that can be killed and restarted. */
export class Replica implements AsyncDisposable {
  readonly url: string;
  readonly #env: Settings;
  #process: ServiceProcess | undefined;

  constructor(port: number, env: Settings) {
    this.url = `http://127.0.0.1:${port}`;
    this.#env = { HTTP_EXECUTOR_BIND_ADDR: `127.0.0.1:${port}`, ...env };
  }

  async start(): Promise<void> {
    this.#process = await startService('executor', this.#env);
  }

  /** Waits until the process has logged something since its start. */
  async logged(pattern: RegExp): Promise<void> {
    await this.#process?.printed(pattern);
  }

  /** Ends the process with SIGKILL. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process?.[Symbol.asyncDispose]();
  }

  /** Ends the process with SIGKILL and starts it again. */
  async crash(): Promise<void> {
    await this[Symbol.asyncDispose]();
    await this.start();
  }
}

export async function startReplica(store: string, more: Settings = {}): Promise<Replica> {
  const replica = new Replica(await freePort(), { HTTP_EXECUTOR_STORE: store, ...more });
  await replica.start();
  return replica;
}
