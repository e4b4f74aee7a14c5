import {
  type Address,
  classifyAddress,
  inNetwork,
  type Network,
  parseAddress,
  parseNetworks,
  readingsOf,
  sameAddress,
} from './address.ts';
import { type Allowlist, isIpLiteral, parseAllowlist } from './allowlist.ts';

/**
 * A judgement with its reason; `why` completes "… is refused: " and says what an operator
 * would have to change.
 */
export type Verdict = { readonly ok: true } | { readonly ok: false; readonly why: string };

/** Where requests may go: hosts by name, and the addresses behind the names. */
export interface Sandbox {
  readonly allowlist: Allowlist;
  readonly networks: readonly string[];
  /** Whether a host of an admitted URL may be reached at this address. */
  mayReach(hostname: string, address: string): Verdict;
}

const OK: Verdict = { ok: true };
const refuse = (why: string): Verdict => ({ ok: false, why });

/**
 * Builds the sandbox from the entries of the two settings; throws an error that names the
 * malformed ones.
 */
export function createSandbox(hosts: readonly string[], networks: readonly string[]): Sandbox {
  const allowlist = parseAllowlist(hosts);
  const allowedNetworks = parseNetworks(networks);
  return {
    allowlist,
    networks,
    mayReach: (hostname, text) => {
      const address = parseAddress(text);
      if (address === undefined) return refuse('its address could not be read');
      if (isIpLiteral(hostname)) return judgeLiteral(hostname, address);
      return hostname === 'localhost'
        ? judgeLocalhost(address)
        : judgeName(address, allowedNetworks);
    },
  };
}

/** A literal host reaches itself and nothing else. */
function judgeLiteral(hostname: string, address: Address): Verdict {
  const literal = parseAddress(hostname.replace(/^\[|\]$/g, ''));
  return literal !== undefined && sameAddress(literal, address)
    ? OK
    : refuse('it leads to another address');
}

/** `localhost` reaches loopback and nothing else. */
function judgeLocalhost(address: Address): Verdict {
  const kind = readingsOf(address)
    .map(classifyAddress)
    .find((each) => each !== 'loopback');
  if (kind === undefined) return OK;
  return refuse(
    `its address is ${kind}, and localhost may reach loopback alone, which no setting changes`,
  );
}

/**
 * Any other name (contract section 3, "Address guard"), in this order: cloud metadata is
 * not reached, whatever network holds it; public addresses are, and so is what the
 * operator allowed; the rest is not.
 */
function judgeName(address: Address, allowedNetworks: readonly Network[]): Verdict {
  const readings = readingsOf(address);
  if (readings.some((each) => classifyAddress(each) === 'cloud metadata')) {
    return refuse(
      'its address is a cloud metadata service, which no network setting opens; an operator would have to list the address itself in HTTP_EXECUTOR_ALLOWED_HOSTS',
    );
  }
  const isOpen = (each: Address) =>
    classifyAddress(each) === 'public' ||
    allowedNetworks.some((network) => inNetwork(each, network));
  const closed = readings.find((each) => !isOpen(each));
  if (closed === undefined) return OK;
  return refuse(
    `its address is ${classifyAddress(closed)}, which a name may reach only where an operator has listed its network in HTTP_EXECUTOR_ALLOWED_NETWORKS`,
  );
}
