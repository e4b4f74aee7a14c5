import { pino } from 'pino';

/** Lines are written in batches, since a write costs more than a line; after this time at the latest. */
const WRITE_EVERY_MS = 100;
/** Batch size: each write wakes another thread. */
const WRITE_BYTES = 256 * 1024;
/** INVARIANT: above `WRITE_BYTES`. A longer line is written whole. */
const MAX_WRITE_BYTES = 2 * WRITE_BYTES;

/** If it fails, as on a full disk, a line on standard error says so; the service goes on. */
export class StandardOutput {
  readonly #output = pino.destination({
    dest: 1,
    sync: false,
    minLength: WRITE_BYTES,
    maxWrite: MAX_WRITE_BYTES,
    periodicFlush: WRITE_EVERY_MS,
    contentMode: 'buffer',
  });
  /** As text: to encode each line alone costs more than to make it. */
  #waiting = '';
  #broken = false;

  constructor() {
    const output = this.#output;
    output.on('error', ({ message }: Error) => this.#end(message));
    // Called at each interval, and when the process ends.
    const { flush, flushSync } = output;
    output.flush = (done) => {
      this.#handOver();
      flush.call(output, done);
    };
    output.flushSync = () => {
      this.#handOver();
      flushSync.call(output);
    };
  }

  write(text: string): void {
    if (this.#broken) return;
    this.#waiting += text;
    if (this.#waiting.length >= WRITE_BYTES) this.#handOver();
  }

  flush(done: () => void): void {
    if (this.#broken) done();
    else this.#output.flush(done);
  }

  #handOver(): void {
    if (this.#waiting === '' || this.#broken) return;
    // As bytes: sonic-boom would measure all pending text each time. Its type lacks them.
    this.#output.write(Buffer.from(this.#waiting) as unknown as string);
    this.#waiting = '';
  }

  #end(message: string): void {
    if (this.#broken) return;
    this.#broken = true;
    // Otherwise the process would retry the rest forever at its end.
    this.#output.destroy();
    process.stderr.write(`The log cannot be written and ends here: ${message}\n`);
  }
}
