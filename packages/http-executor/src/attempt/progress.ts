import type { OutboundRequest } from '../guard/guard.ts';
import type { Stage } from '../transport.ts';

/** Stage of an attempt, its redirects included, and the hosts that may have acted on it. */
export class Progress {
  /** All requests of this attempt; the last one is in progress. */
  readonly requests: OutboundRequest[] = [];
  readonly #sent: OutboundRequest[] = [];
  /** True while the response is an event stream. */
  streaming = false;
  #stage: Stage = 'connecting';

  begin(request: OutboundRequest): void {
    this.requests.push(request);
    this.#stage = 'connecting';
  }

  reached(stage: Stage): void {
    this.#stage = stage;
    if (stage === 'sending') this.#sent.push(...this.requests.slice(-1));
  }

  /** Says which hosts, including those that redirected, may have acted on the request. */
  consequence(): string {
    const hosts = new Set(this.#sent.map(hostOf));
    if (hosts.size === 0) return 'Nothing was sent.';
    const alone = hosts.size === 1 && hosts.has(this.#host());
    return `${alone ? 'It' : [...hosts].join(' and ')} may have acted on the request.`;
  }

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
    return this.requests.slice(-1).map(hostOf).join('');
  }
}

const hostOf = ({ url }: OutboundRequest) => `\`${url.host}\``;
