import { type ExecutorClient, GatehouseError, ProblemError } from '@gatehouse/client';
import { problemDocument } from '@gatehouse/contracts';
import {
  createSandbox,
  EXECUTION_DEFAULTS,
  inspectSecrets,
  type LoadedDestinations,
  openExecutor,
  Refusal,
} from '@gatehouse/http-executor';
import type { LocalExecutorOptions } from '../options.ts';

export type Executor = Pick<ExecutorClient, 'execute' | 'dryRun' | 'close'> &
  Partial<Pick<ExecutorClient, 'acceptsKeys'>>;

/** Allows fewer concurrent requests than an executor service, to save this process's memory. */
const DEFAULTS = { ...EXECUTION_DEFAULTS, maxExecutions: 100, maxExecutionsPerHost: 50 };

/** Options and variables for refusals, which say what the operator of this server must change. */
const SETTING_NAMES = {
  allowedHosts: '`--allowed-hosts` or HTTP_EXECUTOR_ALLOWED_HOSTS',
  allowedNetworks: '`--allowed-networks` or HTTP_EXECUTOR_ALLOWED_NETWORKS',
};

/**
 * Creates an executor that runs in this process and sends requests only to allowed hosts or, if
 * there is a destinations file, to its destinations.
 */
export function localExecutor(
  options: LocalExecutorOptions,
  ownPort: () => number | undefined,
): Executor {
  const { allowedHosts, allowedNetworks, destinationsFile, ...settings } = options;
  const limits = { ...DEFAULTS, ...settings };
  const sandbox = createSandbox(allowedHosts, allowedNetworks, SETTING_NAMES);
  const { executor, use, close } = openExecutor(sandbox, { ...settings, limits }, { ownPort });
  if (destinationsFile !== undefined) use(destinationsFile);
  return {
    execute: async (action, { signal = NEVER, requestId } = {}) => {
      const executed = executor.execute(action, { signal });
      const { json } = await executed.catch((error) => throwClientError(error, requestId));
      return JSON.parse(json.toString());
    },
    dryRun: (action, { signal = NEVER, requestId } = {}) =>
      executor.dryRun(action, { signal }).catch((error) => throwClientError(error, requestId)),
    close,
  };
}

/** Lists what an operator should correct in a destinations file, although the server can start. */
export function destinationWarnings(file: LoadedDestinations): string[] {
  const { warnings } = inspectSecrets(file);
  const named = file.destinations.all.filter(({ source }) => source.callers !== undefined);
  const unmatched = named.map(
    ({ index, line }) =>
      `${file.path}:${line}: /destinations/${index} matches no call, because it has \`callers\`, and an executor in this process has no caller names`,
  );
  return [...warnings, ...unmatched];
}

const NEVER = new AbortController().signal;

/** Rethrows an executor's error as a `GatehouseError`, the only kind that `createGate` handles. */
function throwClientError(error: unknown, requestId = ''): never {
  if (!(error instanceof Refusal))
    throw new GatehouseError(`The executor gave no outcome (${Object(error).name}).`);
  const { code, message: detail, violations } = error;
  throw new ProblemError('executor', problemDocument(code, { detail, requestId, violations }));
}
