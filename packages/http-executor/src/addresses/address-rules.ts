import { failure, type Result, success } from '@gatehouse/contracts';
import { isIpLiteral, withoutBrackets } from '@gatehouse/contracts/action';
import {
  type Address,
  CLASS_TEXTS,
  classifyAddress,
  inNetworks,
  type Network,
  parseAddress,
  parseNetworks,
} from './address.ts';

/** Result of a check. `reason` completes "… is refused: ", and may say what to change. */
type Verdict = Result<undefined>;

/** Decides which addresses an allowed host may have (docs/executor-security.md, "Addresses"). */
export type MayReach = (hostname: string, address: string) => Verdict;

const OK: Verdict = success(undefined);

/**
 * `networksName` is what refusals call the list of networks.
 * @throws {Error} with a list of the malformed networks.
 */
export function addressRules(networks: readonly string[], networksName: string): MayReach {
  const allowed = parseNetworks(networks);
  return (hostname, text) => {
    const address = parseAddress(text);
    if (address === undefined) return failure("the host's address could not be parsed");
    if (isIpLiteral(hostname)) return checkLiteral(hostname, address);
    if (hostname === 'localhost') return checkLocalhost(address);
    return checkName(address, allowed, networksName);
  };
}

/** Refuses `0.0.0.0` and `::`, because a connection to them leads to another address. */
function checkLiteral(hostname: string, address: Address): Verdict {
  const literal = parseAddress(withoutBrackets(hostname));
  const isSame = literal?.toNormalizedString() === address.toNormalizedString();
  return isSame && address.range() !== 'unspecified'
    ? OK
    : failure('the connection goes to a different IP address than the one in the URL');
}

function checkLocalhost(address: Address): Verdict {
  if (address.range() === 'loopback') return OK;
  return failure(
    '`localhost` may resolve only to loopback addresses, and no setting can change this',
  );
}

/**
 * Checks an address that a host name (other than `localhost`) resolved to, in this order:
 * 1. an address of a cloud metadata service, or one that embeds an IPv4 address, is refused, even
 *    in an allowed network;
 * 2. a public address, or one in an allowed network, is allowed;
 * 3. all other addresses are refused.
 */
function checkName(address: Address, allowed: Network[], networksName: string): Verdict {
  const kind = classifyAddress(address);
  const refused = `the host's address is ${CLASS_TEXTS[kind]}; to allow this, an operator must`;
  if (kind === 'cloud_metadata' || kind === 'embedded_ipv4')
    return failure(`${refused} list the IP address itself as an allowed host`);

  if (kind === 'public' || inNetworks(address, allowed)) return OK;
  return failure(`${refused} add its network to ${networksName}`);
}
