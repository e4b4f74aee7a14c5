import type { Socket } from 'node:net';
import type { Stage } from '../transport.ts';
import { HeadFilter } from './head-filter.ts';

/** A connection that carries exchanges one after the other, and what came of the current one. */
export class Connection {
  readonly #heads = new HeadFilter();
  #exchanges = 0;
  #heard = false;

  /** From now on, whoever reads the socket sees what the filter of heads lets through. */
  constructor(socket: Socket) {
    const read: (size?: number) => Buffer | null = socket.read.bind(socket);
    socket.read = (size?: number) => {
      let shown: Buffer | null;
      do {
        const bytes = read(size);
        this.#heard ||= bytes !== null;
        shown = bytes && this.#heads.take(bytes);
      } while (shown?.length === 0);
      return shown;
    };
  }

  /** An exchange begins, and nothing of its request has been written yet. */
  begin(): void {
    this.#exchanges += 1;
    this.#heard = false;
    this.#heads.begin();
  }

  /** Whether the upstream has sent anything since the exchange began. */
  get heard(): boolean {
    return this.#heard;
  }

  /** Whether it carried another exchange before this one. */
  get reused(): boolean {
    return this.#exchanges > 1;
  }
}

/** A request for which a connection may be made. */
export interface Dispatched {
  onAbort: () => void;
  onStage(stage: Stage): void;
}

/** What a client of undici, which has one connection at a time, connects for. */
export class Line {
  /** The request that comes next. */
  next: Dispatched | undefined;
  /** Undefined while it connects. */
  connection: Connection | undefined;
}
