import { classifyAddress, parseAddress, possibleTargets, sameAddress } from './address.ts';
import { type Allowlist, parseAllowlist } from './allowlist.ts';
import { isIpLiteral, withoutBrackets } from './host.ts';
import { type Address, inNetwork, type Network, parseNetworks } from './networks.ts';

/** The reason completes "… is refused: " and says what an operator could change. */
type Verdict = { readonly ok: true } | { readonly ok: false; readonly reason: string };

const OPTION_NAMES = {
  allowedHosts: 'allowedHosts',
  allowedNetworks: 'allowedNetworks',
  maxExecutions: 'maxExecutions',
  maxExecutionsPerHost: 'maxExecutionsPerHost',
};

/** Names of settings as the operator knows them, for messages. */
export type SettingNames = Readonly<typeof OPTION_NAMES>;

/** Decides which hosts requests may go to, and which addresses a host may resolve to. */
export interface Sandbox {
  readonly allowlist: Allowlist;
  readonly networks: readonly string[];
  readonly settingNames: SettingNames;
  /** Checks the address of a host that the allowlist admits (docs/contract.md, "Address guard"). */
  mayReach(hostname: string, address: string): Verdict;
}

const OK: Verdict = { ok: true };
const refuse = (reason: string): Verdict => ({ ok: false, reason });

/**
 * @throws {Error} that lists the malformed hosts or networks.
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
      checkAddress(hostname, address, { allowed: allowedNetworks, settingNames }),
  };
}

interface NameRules {
  readonly allowed: readonly Network[];
  readonly settingNames: SettingNames;
}

function checkAddress(hostname: string, text: string, rules: NameRules): Verdict {
  const address = parseAddress(text);
  if (address === undefined) return refuse('its address could not be read');
  if (isIpLiteral(hostname)) return checkLiteral(hostname, address);
  return hostname === 'localhost' ? checkLocalhost(address) : checkName(address, rules);
}

function checkLiteral(hostname: string, address: Address): Verdict {
  const literal = parseAddress(withoutBrackets(hostname));
  return literal !== undefined && sameAddress(literal, address)
    ? OK
    : refuse('its connection leads to a different address');
}

function checkLocalhost(address: Address): Verdict {
  const kinds = possibleTargets(address).map(classifyAddress);
  const kind = kinds.find((each) => each !== 'loopback');
  if (kind === undefined) return OK;
  return refuse(
    `its address is ${kind}, and localhost may reach only loopback, which no setting changes`,
  );
}

/**
 * Checks any other name, in this order:
 * 1. cloud metadata is refused, even in an allowed network;
 * 2. public addresses and allowed networks are admitted;
 * 3. all other addresses are refused.
 */
function checkName(address: Address, { allowed, settingNames }: NameRules): Verdict {
  const targets = possibleTargets(address);
  if (targets.some((each) => classifyAddress(each) === 'cloud metadata')) {
    return refuse(
      `its address is a cloud metadata service, which no network setting allows; an operator would have to list the address itself in ${settingNames.allowedHosts}`,
    );
  }
  const isOpen = (each: Address) =>
    classifyAddress(each) === 'public' || allowed.some((network) => inNetwork(each, network));
  const closed = targets.find((each) => !isOpen(each));
  if (closed === undefined) return OK;
  return refuse(
    `its address is ${classifyAddress(closed)}, which a name may reach only if an operator lists its network in ${settingNames.allowedNetworks}`,
  );
}
