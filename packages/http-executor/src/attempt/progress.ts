import type { Stage, WireRequest } from '../transport.ts';

/**
 * How far an attempt has come, redirects included, and so what may have come of it when
 * it fails.
 */
export class Progress {
  /** What was asked so far, last what is being asked. */
  readonly asked: WireRequest[] = [];
  readonly #sent: WireRequest[] = [];
  #stage: Stage = 'connecting';

  /** One more request of the attempt. */
  begin(request: WireRequest): void {
    this.asked.push(request);
    this.#stage = 'connecting';
  }

  reached(stage: Stage): void {
    this.#stage = stage;
    if (stage === 'sending') this.#sent.push(...this.asked.slice(-1));
  }

  /**
   * Who may have acted on the request, as a sentence; whoever redirected may have, too.
   */
  consequence(): string {
    const hosts = new Set(this.#sent.map(hostOf));
    if (hosts.size === 0) return 'Nothing was sent.';
    const alone = hosts.size === 1 && hosts.has(this.#host());
    return `${alone ? 'It' : [...hosts].join(' and ')} may have acted on the request.`;
  }

  /** What the attempt was at when its time was over, and what may have come of it. */
  whenOver(ms: number): string {
    const within = `within ${Math.round(ms)} ms`;
    const consequence = this.consequence();
    switch (this.#stage) {
      case 'resolving':
        return `${this.#host()} cannot be used: its name could not be resolved ${within}. ${consequence}`;
      case 'connecting':
        return `${this.#host()} could not be connected to ${within}. ${consequence}`;
      case 'sending':
        return `${this.#host()} did not answer completely ${within}; ${consequence.replace(/^It/, 'it')}`;
    }
  }

  #host(): string {
    return this.asked.slice(-1).map(hostOf).join('');
  }
}

const hostOf = ({ url }: WireRequest) => `\`${url.host}\``;
