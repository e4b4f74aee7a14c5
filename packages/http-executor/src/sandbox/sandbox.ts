import { classifyAddress, meaningsOf, parseAddress, sameAddress } from './address.ts';
import { type Allowlist, parseAllowlist } from './allowlist.ts';
import { isIpLiteral, withoutBrackets } from './host.ts';
import { type Address, inNetwork, type Network, parseNetworks } from './networks.ts';

/** A verdict; the reason completes "… is refused: " and says what an operator would change. */
type Verdict = { readonly ok: true } | { readonly ok: false; readonly reason: string };

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

const OK: Verdict = { ok: true };
const refuse = (reason: string): Verdict => ({ ok: false, reason });

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
      checkAddress(hostname, address, { allowed: allowedNetworks, settingNames }),
  };
}

/** What names may reach besides public addresses, and how an operator calls the settings. */
interface NameRules {
  readonly allowed: readonly Network[];
  readonly settingNames: SettingNames;
}

/** Whether a host may be reached at an address (contract section 3, "Address guard"). */
function checkAddress(hostname: string, text: string, rules: NameRules): Verdict {
  const address = parseAddress(text);
  if (address === undefined) return refuse('its address could not be read');
  if (isIpLiteral(hostname)) return checkLiteral(hostname, address);
  return hostname === 'localhost' ? checkLocalhost(address) : checkName(address, rules);
}

/** A literal host reaches itself and nothing else. */
function checkLiteral(hostname: string, address: Address): Verdict {
  const literal = parseAddress(withoutBrackets(hostname));
  return literal !== undefined && sameAddress(literal, address)
    ? OK
    : refuse('it leads to another address');
}

/** `localhost` reaches loopback and nothing else. */
function checkLocalhost(address: Address): Verdict {
  const kinds = meaningsOf(address).map(classifyAddress);
  const kind = kinds.find((each) => each !== 'loopback');
  if (kind === undefined) return OK;
  return refuse(
    `its address is ${kind}, and localhost may reach loopback alone, which no setting changes`,
  );
}

/**
 * Any other name, in this order:
 * 1. cloud metadata is refused, whatever network holds it;
 * 2. public addresses and allowed networks are admitted;
 * 3. the rest is refused.
 */
function checkName(address: Address, { allowed, settingNames }: NameRules): Verdict {
  const meanings = meaningsOf(address);
  if (meanings.some((each) => classifyAddress(each) === 'cloud metadata')) {
    return refuse(
      `its address is a cloud metadata service, which no network setting opens; an operator would have to list the address itself in ${settingNames.allowedHosts}`,
    );
  }
  const isOpen = (each: Address) =>
    classifyAddress(each) === 'public' || allowed.some((network) => inNetwork(each, network));
  const closed = meanings.find((each) => !isOpen(each));
  if (closed === undefined) return OK;
  return refuse(
    `its address is ${classifyAddress(closed)}, which a name may reach only where an operator has listed its network in ${settingNames.allowedNetworks}`,
  );
}
