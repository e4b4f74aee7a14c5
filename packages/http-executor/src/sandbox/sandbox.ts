import { EXECUTOR_SETTINGS } from '@gatehouse/contracts';
import {
  type Destination,
  type Destinations,
  isIpLiteral,
  parseAllowlist,
  withoutBrackets,
} from '@gatehouse/destinations';
import type { Credential } from '../credentials/credential.ts';
import type { TlsFiles } from '../transport.ts';
import {
  type Address,
  classifyAddress,
  inNetworks,
  type Network,
  parseAddress,
  parseNetworks,
  possibleTargets,
} from './address.ts';

/** Destinations with their credentials and TLS files. A reload replaces the whole object. */
export interface Upstreams {
  readonly destinations: Destinations;
  /** True if the destinations come from a destinations file, false if they are a list of hosts. */
  readonly fromFile: boolean;
  readonly credentials: ReadonlyMap<string, Credential>;
  readonly tls: ReadonlyMap<Destination, TlsFiles>;
}

/** Result of a check. `reason` completes "… is refused: ", and may say what to change. */
type Verdict = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** Decides which hosts may receive requests, and which addresses a host may resolve to. */
export interface Sandbox {
  /** Upstreams for new executions. A running execution keeps the upstreams that it started with. */
  upstreams: Upstreams;
  /** Checks the address of an allowed host (docs/contract.md, "Address guard"). */
  mayReach(hostname: string, address: string): Verdict;
}

const OK: Verdict = { ok: true };
const refuse = (reason: string): Verdict => ({ ok: false, reason });

/** @throws {Error} with a list of the malformed hosts or networks. */
export function createSandbox(hosts: readonly string[], networks: readonly string[]): Sandbox {
  const allowed = parseNetworks(networks);
  return {
    upstreams: {
      destinations: parseAllowlist(hosts),
      fromFile: false,
      credentials: new Map(),
      tls: new Map(),
    },
    mayReach: (hostname, text) => {
      const address = parseAddress(text);
      if (address === undefined) return refuse("the host's address could not be parsed");
      if (isIpLiteral(hostname)) return checkLiteral(hostname, address);
      if (hostname === 'localhost') return checkLocalhost(address);
      return checkName(address, allowed);
    },
  };
}

function checkLiteral(hostname: string, address: Address): Verdict {
  const literal = parseAddress(withoutBrackets(hostname));
  return literal?.toNormalizedString() === address.toNormalizedString()
    ? OK
    : refuse('the connection goes to a different IP address than the one in the URL');
}

function checkLocalhost(address: Address): Verdict {
  const kind = classifyAddress(address);
  if (kind === 'loopback') return OK;
  return refuse(
    `the address of \`localhost\` is ${kind}, but \`localhost\` may resolve only to loopback addresses, and no setting can change this`,
  );
}

/**
 * Checks an address that a host name (other than `localhost`) resolved to, in this order:
 * 1. a cloud metadata address is refused, even in an allowed network;
 * 2. a public address, or one in an allowed network, is allowed;
 * 3. all other addresses are refused.
 */
function checkName(address: Address, allowed: Network[]): Verdict {
  const targets = possibleTargets(address);
  if (targets.some((each) => classifyAddress(each) === 'cloud metadata')) {
    return refuse(
      `the host's address belongs to a cloud metadata service; to allow this, an operator must list the IP address itself as an allowed host`,
    );
  }
  const isOpen = (each: Address) => classifyAddress(each) === 'public' || inNetworks(each, allowed);
  const closed = targets.find((each) => !isOpen(each));
  if (closed === undefined) return OK;
  return refuse(
    `the host's address is ${classifyAddress(closed)}; to allow this, an operator must add its network to ${EXECUTOR_SETTINGS.allowedNetworks}`,
  );
}
