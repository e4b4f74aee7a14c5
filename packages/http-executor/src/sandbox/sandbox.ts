import { judgeAddress, type Verdict } from './address-guard.ts';
import { type Allowlist, parseAllowlist } from './allowlist.ts';
import { parseNetworks } from './networks.ts';

const OPTION_NAMES = {
  allowedHosts: 'allowedHosts',
  allowedNetworks: 'allowedNetworks',
  maxExecutions: 'maxExecutions',
  maxExecutionsPerHost: 'maxExecutionsPerHost',
};

/** How the operator knows these settings; messages name them so. */
export type SettingNames = Readonly<typeof OPTION_NAMES>;

/** Where requests may go: hosts by name, and the addresses behind the names. */
export interface Sandbox {
  readonly allowlist: Allowlist;
  readonly networks: readonly string[];
  readonly settingNames: SettingNames;
  /** Whether the host of an admitted URL may be reached at this address. */
  mayReach(hostname: string, address: string): Verdict;
}

/**
 * Builds the sandbox from entries of the allowlist and CIDRs.
 * @throws {Error} that names each malformed one.
 */
export function createSandbox(
  hosts: readonly string[],
  networks: readonly string[],
  settingNames: SettingNames = OPTION_NAMES,
): Sandbox {
  const allowlist = parseAllowlist(hosts);
  const allowedNetworks = parseNetworks(networks);
  return {
    allowlist,
    networks,
    settingNames,
    mayReach: (hostname, address) =>
      judgeAddress(hostname, address, { allowed: allowedNetworks, settingNames }),
  };
}
