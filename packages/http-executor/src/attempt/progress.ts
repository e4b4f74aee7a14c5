import type { OutboundRequest } from '../guard/guard.ts';
import type { Stage } from '../transport.ts';

/** How far an attempt has come, redirects included, and who may have acted on it. */
export class Progress {
  /** The requests of this attempt; the last one is the current one. */
  readonly asked: OutboundRequest[] = [];
  readonly #sent: OutboundRequest[] = [];
  /** The response has begun, and is an event stream. */
  streaming = false;
  #stage: Stage = 'connecting';

  begin(request: OutboundRequest): void {
    this.asked.push(request);
    this.#stage = 'connecting';
  }

  reached(stage: Stage): void {
    this.#stage = stage;
    if (stage === 'sending') this.#sent.push(...this.asked.slice(-1));
  }

  /** Who may have acted on the request, as a sentence; hosts that redirected included. */
  consequence(): string {
    const hosts = new Set(this.#sent.map(hostOf));
    if (hosts.size === 0) return 'Nothing was sent.';
    const alone = hosts.size === 1 && hosts.has(this.#host());
    return `${alone ? 'It' : [...hosts].join(' and ')} may have acted on the request.`;
  }

  /** The message of a timeout after so many milliseconds. */
  timeoutMessage(ms: number): string {
    const within = `within ${Math.round(ms)} ms`;
    const consequence = this.consequence();
    switch (this.#stage) {
      case 'resolving':
        return `${this.#host()} cannot be used: its name could not be resolved ${within}. ${consequence}`;
      case 'connecting':
        return `${this.#host()} could not be connected to ${within}. ${consequence}`;
      case 'sending':
        return this.streaming
          ? `${this.#host()} accepted the request, but its event stream did not end ${within}.`
          : `${this.#host()} did not answer completely ${within}; ${consequence.replace(/^It/, 'it')}`;
    }
  }

  #host(): string {
    return this.asked.slice(-1).map(hostOf).join('');
  }
}

const hostOf = ({ url }: OutboundRequest) => `\`${url.host}\``;
