import { type Ending, ManagedProcess, type ProcessSpec } from './managed-process.ts';

export interface Ended {
  readonly process: ManagedProcess;
  readonly ending: Ending;
}

/**
 * The child processes of one program, to be stopped together. None outlives it by much:
 * see `lifeline.ts`.
 */
export class Processes implements AsyncDisposable {
  readonly #graceMs: number;
  readonly #all: ManagedProcess[] = [];
  #stopping = false;

  /** A process that is still running `graceMs` after it was told to stop is killed. */
  constructor(options: { readonly graceMs: number }) {
    this.#graceMs = options.graceMs;
  }

  /** Throws once stopping has begun, so that nothing is started behind its back. */
  start(spec: ProcessSpec): ManagedProcess {
    if (this.#stopping)
      throw new Error(`${spec.name} was not started: everything is being stopped.`);
    const started = new ManagedProcess(spec);
    this.#all.push(started);
    return started;
  }

  /** Whichever of the processes started so far ends first. */
  firstEnd(): Promise<Ended> {
    return Promise.race(this.#all.map(endOf));
  }

  /** Tells all to stop and waits until they have. */
  async stop(): Promise<Ended[]> {
    this.#stopping = true;
    for (const each of this.#all) each.stop(this.#graceMs);
    return await Promise.all(this.#all.map(endOf));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

async function endOf(process: ManagedProcess): Promise<Ended> {
  return { process, ending: await process.ended };
}
