import { type CompileResult, OverBudget, Starved } from '@gatehouse/json-schema';
import type { RedactedBody } from '../redact/redact.ts';
import type { Job, Unfinished } from './pools.ts';
import { type Examination, ownBytes, ThreadExaminer } from './thread-examiner.ts';

const examiner = new ThreadExaminer();

export const compile = (job: Job<string>): CompileResult | Unfinished =>
  perform(job, (text) => examiner.compile(text, job.budget));

/** Decodes, validates and redacts a body in one job, so that it is sent to a thread only once. */
export const examine = (job: Job<Examination>): RedactedBody | Unfinished =>
  perform(job, (task) => {
    const shown = examiner.examine(task, job.budget);
    return 'json' in shown ? { ...shown, json: ownBytes(shown.json) } : shown;
  });

function perform<Task, Result>({ task, expires }: Job<Task>, work: (task: Task) => Result) {
  if (Date.now() > expires) return 'busy';
  try {
    return work(task);
  } catch (error) {
    if (error instanceof OverBudget) return 'beyond limits';
    if (error instanceof Starved) return 'busy';
    throw error;
  }
}
