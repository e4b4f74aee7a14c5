import { isDeepStrictEqual } from 'node:util';
import type { Approval, PlanStep, StepResult } from './plan.ts';
import { requestError } from './problem.ts';

/** State of a plan that the gateway remembers between runs. */
export interface PlanRecord {
  readonly planId: string;
  readonly steps: readonly PlanStep[];
  /** Results, by step id, of the steps that were or may have been sent and never run again. */
  readonly sent: Map<string, StepResult>;
  /** Digests, by step id, of the steps that wait for approval. */
  readonly waiting: Map<string, string>;
}

/**
 * Remembers plans in memory. A restart forgets all plans, and no plan is forgotten before that. In
 * production, keep the records in a database that all replicas share.
 */
export class PlanStore {
  readonly #plans = new Map<string, PlanRecord>();
  readonly #running = new Set<PlanRecord>();

  /** Returns the record of a new or known plan. @throws if a known plan has other steps. */
  open(planId: string, steps: readonly PlanStep[]): PlanRecord {
    const known = this.#plans.get(planId);
    if (known !== undefined && !isDeepStrictEqual(known.steps, steps))
      throw requestError(409, 'The plan with this `plan_id` has other steps; choose a new id.');
    const record = known ?? { planId, steps, sent: new Map(), waiting: new Map() };
    this.#plans.set(planId, record);
    return record;
  }

  /**
   * Returns the plan in which a step waits for this approval.
   * @throws if the step does not wait, or waits with another digest.
   */
  findWaiting(planId: string, { step, digest }: Approval): PlanRecord {
    const record = this.#plans.get(planId);
    if (record === undefined) throw requestError(404, 'The gateway does not know this plan.');
    if (record.waiting.get(step) === digest) return record;
    throw requestError(409, 'The step does not wait with this `digest`; send the plan again.');
  }

  /** Calls `run`, unless the plan is already running. */
  async runAlone<T>(record: PlanRecord, run: () => Promise<T>): Promise<T> {
    if (this.#running.has(record))
      throw requestError(409, 'The plan is already running; send it again later.');
    this.#running.add(record);
    try {
      return await run();
    } finally {
      this.#running.delete(record);
    }
  }
}
