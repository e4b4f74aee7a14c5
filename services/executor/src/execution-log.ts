import type { ExecutionOutcome } from '@gatehouse/contracts';
import type { AttemptEnd, AttemptStart } from '@gatehouse/http-executor';
import type { Summary } from '@gatehouse/service';

/** What the log says of an execution; of where it went everything but the query. */
export class ExecutionLog {
  #start: AttemptStart | undefined;
  #bytes = 0;
  readonly #durations: number[] = [];

  attempted(start: AttemptStart, { bytes, duration_ms }: AttemptEnd): void {
    this.#start ??= start;
    this.#bytes = bytes;
    this.#durations.push(Math.round(duration_ms));
  }

  summary(outcome: ExecutionOutcome): Summary {
    const { method, url } = this.#start ?? {};
    const fields = {
      upstream: { method, host: url?.host, path: url?.pathname, status: outcome.status, bytes: this.#bytes },
      outcome: outcome.outcome,
      error: outcome.outcome === 'failure' ? outcome.error : undefined,
      attempts: outcome.attempts,
      attempt_ms: this.#durations,
      redactions: outcome.redactions,
    };
    return { event: 'execution', fields };
  }
}
