import { addressRules, type MayReach } from './addresses/address-rules.ts';
import type { Upstreams } from './credentials/upstreams.ts';
import { parseAllowlist } from './destinations/destinations.ts';

/** Decides which hosts may receive requests, and which addresses a host may resolve to. */
export interface Sandbox {
  /** Upstreams for new executions. A running execution keeps the upstreams that it started with. */
  upstreams: Upstreams;
  readonly mayReach: MayReach;
  readonly names: SettingNames;
}

const NAMES = {
  allowedHosts: 'the allowed hosts',
  destinations: 'the destinations file',
  allowedNetworks: 'the allowed networks',
  maxExecutions: 'maxExecutions',
  maxExecutionsPerHost: 'maxExecutionsPerHost',
};

/** Names of lists and limits in refusals, which tell an operator what to change. */
export type SettingNames = Readonly<Record<keyof typeof NAMES, string>>;

/**
 * Creates a sandbox. `settingNames` replace the names of lists and limits in refusals.
 * @throws {Error} with a list of the malformed hosts or networks.
 */
export function createSandbox(
  hosts: readonly string[],
  networks: readonly string[],
  settingNames: Partial<SettingNames> = {},
): Sandbox {
  const names = { ...NAMES, ...settingNames };
  return {
    upstreams: {
      destinations: parseAllowlist(hosts),
      fromFile: false,
      credentials: new Map(),
      tls: new Map(),
    },
    mayReach: addressRules(networks, names.allowedNetworks),
    names,
  };
}
