import type { ServiceOptions } from '@gatehouse/client';
import { cleanEnv, makeExactValidator, str, url } from 'envalid';

const address = makeExactValidator((text) => {
  const [, host, port] = /^\[?(.+?)\]?:(\d{1,5})$/.exec(text) ?? [];
  if (host === undefined || Number(port) > 65_535)
    throw new Error(`\`${text}\` must be host:port, such as 127.0.0.1:8070`);
  return { host, port: Number(port) };
});

/** Validates a secret, without repeating the secret in an error message. */
const visibleAscii = makeExactValidator((text) => {
  if (!/^[\x21-\x7e]+$/.test(text)) throw new Error('must be visible ASCII, without spaces');
  return text;
});
const token = (desc: string) => visibleAscii({ default: undefined, desc });

export const settings = {
  GATEWAY_BIND_ADDR: address({
    default: { host: '127.0.0.1', port: 8070 },
    desc: 'Address on which the gateway listens, as host:port.',
  }),
  GATEWAY_API_TOKEN: token(
    'Bearer token that callers must send in the `authorization` header. If unset, anyone can call the gateway.',
  ),
  GATEWAY_APPROVER_TOKEN: token(
    'Bearer token with which people approve steps. Planners must not have it. If unset, no one can approve steps.',
  ),
  GATEWAY_EXECUTOR_URL: url({ default: 'http://127.0.0.1:8092', desc: 'URL of the executor.' }),
  GATEWAY_EXECUTOR_API_TOKEN: token("The gateway's token for the executor."),
  GATEWAY_POLICY_URL: url({
    default: undefined,
    desc: 'URL of the policy service. If unset, the gateway evaluates the policy itself.',
    example: 'http://127.0.0.1:8081',
  }),
  GATEWAY_POLICY_API_TOKEN: token("The gateway's token for the policy service."),
  GATEWAY_LOG_LEVEL: str({
    choices: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    default: 'info',
    desc: 'Lowest level that is logged.',
  }),
};

export type GatewayConfig = ReturnType<typeof readConfig>;

/** @throws Error with a line for each invalid environment variable. */
export function readConfig(env: Readonly<Record<string, string | undefined>>) {
  const read = cleanEnv(env, settings, {
    reporter: ({ errors }) => {
      const lines = Object.entries(errors).map(([name, error]) => `${name}: ${error?.message}`);
      if (lines.length > 0) throw new Error(lines.join('\n'));
    },
  });
  const { GATEWAY_API_TOKEN: planner, GATEWAY_APPROVER_TOKEN: approver } = read;
  if (approver !== undefined && approver === planner)
    throw new Error('GATEWAY_APPROVER_TOKEN: must differ from GATEWAY_API_TOKEN');

  const service = (url: string, token?: string): ServiceOptions => ({ url, token });
  const policyUrl = read.GATEWAY_POLICY_URL;
  return {
    bind: read.GATEWAY_BIND_ADDR,
    logLevel: read.GATEWAY_LOG_LEVEL,
    token: planner,
    approverToken: approver,
    executor: service(read.GATEWAY_EXECUTOR_URL, read.GATEWAY_EXECUTOR_API_TOKEN),
    /** URL and token of the policy service, or undefined to evaluate the policy in this process. */
    policy: policyUrl ? service(policyUrl, read.GATEWAY_POLICY_API_TOKEN) : undefined,
  };
}
