import type { MemoryShare } from '../admission/memory.ts';
import type { TransportError } from '../wire.ts';
import type { Hop } from './redirect.ts';
import type { AttemptFault } from './result.ts';

/** Tracks the progress of an attempt and its redirects, for fault messages. */
export class Progress {
  /** Requests begun so far. Until the attempt ends, the last request in the list is in progress. */
  readonly hops: Hop[] = [];
  readonly #sent = new Set<Hop>();
  streaming = false;
  /** True while the response waits for memory. */
  isPaused = false;

  /** Records that the first byte of the request in progress is about to be sent. */
  sending(): void {
    for (const hop of this.hops.slice(-1)) this.#sent.add(hop);
  }

  get maybeSent(): boolean {
    return this.#sent.size > 0;
  }

  /** Reserves memory for a response, and remembers whether the response waits for it. */
  reserve(bytes: number, memory: MemoryShare): Promise<void> | undefined {
    const granted = memory.reserve(bytes);
    this.isPaused = granted !== undefined;
    return granted?.then(() => {
      this.isPaused = false;
    });
  }

  timeoutFault(ms: number): AttemptFault {
    const message = this.#timeoutMessage(`within ${Math.round(ms)} ms`);
    // Do not retry an endless event stream, because the next stream would not end either.
    const classification = this.streaming ? undefined : 'timeout';
    return { error: 'Timeout', classification, message };
  }

  transportFault({ fault, message: what }: TransportError): AttemptFault {
    const message = `${what} ${this.#consequence()}`;
    switch (fault) {
      case 'connection':
        if (this.streaming) return { error: 'ConnectFailure', message };

        return { error: 'ConnectFailure', classification: 'connect', message };
      case 'address':
        return { error: 'ConnectFailure', addressRefused: true, message: what };
      case 'certificate':
        return { error: 'ConnectFailure', message: `${message} Another attempt will not help.` };
      case 'protocol':
        return { error: 'RequestFailed', message };
    }
  }

  #timeoutMessage(within: string): string {
    const host = this.#host();
    const consequence = this.#consequence();
    const [current] = this.hops.slice(-1);
    if (current === undefined || !this.#sent.has(current))
      return `${host} could not be reached ${within}. ${consequence}`;
    if (this.isPaused)
      return `${host} accepted the request, but the executor had no memory for the response ${within}, because responses of other executions took it all. ${consequence}`;
    return this.streaming
      ? `${host} accepted the request, but its event stream did not end ${within}.`
      : `${host} did not send its whole response ${within}; ${consequence.replace(/^It/, 'it')}`;
  }

  /** Says which hosts may have acted on the request, including hosts that redirected it. */
  #consequence(): string {
    const hosts = new Set([...this.#sent].map(hostOf));
    if (hosts.size === 0) return 'Nothing was sent.';
    const alone = hosts.size === 1 && hosts.has(this.#host());
    return `${alone ? 'It' : [...hosts].join(' and ')} may have acted on the request.`;
  }

  #host(): string {
    return this.hops.slice(-1).map(hostOf).join('');
  }
}

const hostOf = ({ url }: Hop) => `\`${url.host}\``;
