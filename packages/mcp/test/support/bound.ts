import {
  type Bound as BoundServices,
  PLANNER,
  startBound as startServices,
} from '@gatehouse/testing';
import {
  COSTS,
  type Host,
  type HostOptions,
  type McpProcess,
  startMcp,
  stdioHost,
} from './host.ts';

type Env = Readonly<Record<string, string>>;

/** Services that bind executions to decisions, and MCP servers that use them as `planner`. */
export interface Bound extends BoundServices {
  /** Starts an MCP server over HTTP. */
  readonly serve: (env?: Env, args?: readonly string[]) => Promise<McpProcess>;
  /** Connects a host over stdio to an MCP server. */
  readonly connect: (env: Env, options: HostOptions) => Promise<Host>;
  /** Arguments of a call that pays an amount. */
  readonly pay: (cents: number, more?: object) => object;
}

export async function startBound(): Promise<Bound> {
  const services = await startServices();
  const { shop, policy, executor } = services;
  const args = ['--policy-url', policy.url, '--executor-url', executor.url];
  const tokens = { GATEHOUSE_POLICY_TOKEN: PLANNER, GATEHOUSE_EXECUTOR_TOKEN: PLANNER };
  return {
    ...services,
    serve: (env = {}, more = []) =>
      startMcp({ args: [...args, ...more], env: { ...tokens, ...env } }),
    connect: (env, options) => stdioHost({ args, env: { ...tokens, ...env } }, options),
    pay: (cents, more = {}) => ({
      ...{ method: 'POST', url: `${shop.origin}/`, ...COSTS(cents) },
      ...more,
    }),
  };
}
