import {
  type ExecutorClient,
  GatehouseError,
  NoAnswerError,
  ProblemError,
} from '@gatehouse/client';
import { type ExecutionOutcome, problemDocument } from '@gatehouse/contracts';
import {
  Cancelled,
  createSandbox,
  EXECUTION_DEFAULTS,
  openExecutor,
  Refusal,
} from '@gatehouse/http-executor';
import { type ExecutorOptions, SETTING_NAMES } from '../executor-options.ts';

/** An executor service, or the pipeline in this process. */
export type Executor = Pick<ExecutorClient, 'execute' | 'dryRun' | 'close'>;

/**
 * The pipeline in this process, which nobody is reached through until hosts are listed.
 * @throws Error for a malformed sandbox.
 */
export function localExecutor(
  options: ExecutorOptions,
  ownPort: () => number | undefined,
): Executor {
  const { attemptTimeoutMs, totalTimeoutMs, maxResponseBytes } = options;
  const { headerMode, redactedHeaders, shownHeaders, upstreamCaFile: upstreamCa } = options;
  const { maxRequestBytes } = EXECUTION_DEFAULTS;
  const limits = { attemptTimeoutMs, totalTimeoutMs, maxRequestBytes, maxResponseBytes };
  const sandbox = createSandbox(options.allowedHosts, options.allowedNetworks, SETTING_NAMES);
  const settings = { headerMode, redactedHeaders, shownHeaders, upstreamCa, limits };
  const { executor, close } = openExecutor(sandbox, settings, { ownPort });
  return {
    execute: async (action, { signal = NEVER, requestId } = {}) => {
      const executed = executor.execute(action, { signal });
      const { json } = await executed.catch((error) => throwAsAnswered(error, requestId));
      return JSON.parse(json.toString()) as ExecutionOutcome;
    },
    dryRun: (action, { signal = NEVER, requestId } = {}) =>
      executor.dryRun(action, signal).catch((error) => throwAsAnswered(error, requestId)),
    close,
  };
}

const NEVER = new AbortController().signal;

/** As the client of the service would throw it. */
function throwAsAnswered(error: unknown, requestId = ''): never {
  if (error instanceof Refusal) {
    const { code, message: detail, violations } = error;
    throw new ProblemError('executor', problemDocument(code, { detail, requestId, violations }));
  }
  if (!(error instanceof Cancelled))
    throw new GatehouseError('The executor failed unexpectedly.', { cause: error });
  const message = 'The execution was given up by its caller.';
  throw new NoAnswerError(message, { reason: 'aborted', maybeReceived: true, cause: error });
}
