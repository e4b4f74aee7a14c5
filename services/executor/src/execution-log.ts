import type { AttemptEnd, AttemptStart, Outcome } from '@gatehouse/http-executor';
import type { LogFields } from '@gatehouse/service';

/** The log fields of an execution; of its URL everything but the query. */
export class ExecutionLog {
  #start: AttemptStart | undefined;
  #bytes = 0;
  readonly #durations: number[] = [];

  attempted(start: AttemptStart, { bytes, duration_ms }: AttemptEnd): void {
    this.#start ??= start;
    this.#bytes = bytes;
    this.#durations.push(Math.round(duration_ms));
  }

  fields({ outcome, error, status, attempts, redactions }: Outcome): LogFields {
    const { method, url } = this.#start ?? {};
    return {
      upstream: { method, host: url?.host, path: url?.pathname, status, bytes: this.#bytes },
      outcome,
      error,
      attempts,
      attempt_ms: this.#durations,
      redactions: redactions > 0 ? redactions : undefined,
    };
  }
}
