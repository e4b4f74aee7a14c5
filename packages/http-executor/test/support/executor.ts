import type {
  DryRun,
  ExecutionOutcome,
  FailureOutcome,
  SuccessOutcome,
} from '@gatehouse/contracts';
import {
  createSandbox,
  EXECUTION_DEFAULTS,
  type ExecutionContext,
  type ExecutorSettings,
  openExecutor,
  Refusal,
} from '../../src/index.ts';

type Surroundings = NonNullable<Parameters<typeof openExecutor>[2]>;
type Limits = { -readonly [name in keyof typeof EXECUTION_DEFAULTS]?: number };

export interface Setup extends Limits, Surroundings, Partial<ExecutorSettings> {
  readonly hosts?: readonly string[];
  readonly networks?: readonly string[];
}

/** An action of any shape, so that tests can provoke refusals. */
type AnyAction = object;

/** An executor in this process that parses outcomes like a caller. */
export interface TestExecutor extends AsyncDisposable {
  /** Returns the JSON text of an outcome. */
  text(action: AnyAction, context?: Partial<ExecutionContext>): Promise<string>;
  outcome(action: AnyAction, context?: Partial<ExecutionContext>): Promise<ExecutionOutcome>;
  success(action: AnyAction): Promise<SuccessOutcome>;
  failure(action: AnyAction): Promise<FailureOutcome>;
  refusal(action: AnyAction): Promise<Refusal>;
  dryRun(action: AnyAction, signal?: AbortSignal): Promise<DryRun>;
}

const NEVER = new AbortController().signal;

export async function startExecutor(setup: Setup = {}): Promise<TestExecutor> {
  const { hosts = ['localhost', '127.0.0.1', '::1'], networks = [], ...more } = setup;
  const limits = { ...EXECUTION_DEFAULTS, ...more };
  const settings = { ...more, limits };
  const { executor, close } = openExecutor(createSandbox(hosts, networks), settings, more);
  const text = async (action: AnyAction, context: Partial<ExecutionContext> = {}) => {
    const outcome = await executor.execute(action as never, { signal: NEVER, ...context });
    return outcome.json.toString();
  };
  const outcome = async (...args: Parameters<typeof text>): Promise<ExecutionOutcome> =>
    JSON.parse(await text(...args));
  const expected = async (action: AnyAction, kind: ExecutionOutcome['outcome']) => {
    const read = await outcome(action);
    if (read.outcome !== kind) throw new Error(`expected a ${kind}, got ${JSON.stringify(read)}`);
    return read;
  };
  return {
    text,
    outcome,
    success: (action) => expected(action, 'success') as Promise<SuccessOutcome>,
    failure: (action) => expected(action, 'failure') as Promise<FailureOutcome>,
    refusal: async (action) => {
      const read = await outcome(action).catch((error: unknown) => error);
      if (read instanceof Refusal) return read;
      throw new Error('expected a refusal', { cause: read });
    },
    dryRun: (action, signal = NEVER) => executor.dryRun(action as never, { signal }),
    [Symbol.asyncDispose]: close,
  };
}

/** Names for tests. All resolve to loopback, except `inside.test`, which is 10.0.0.1. */
export const LOCAL_NAMES = {
  hosts: ['localhost', '127.0.0.1', 'api.test', 'other.test', 'third.test', 'inside.test'],
  networks: ['127.0.0.0/8'],
  resolve: async (name) => [
    { address: name === 'inside.test' ? '10.0.0.1' : '127.0.0.1', family: 4 },
  ],
} satisfies Setup;
