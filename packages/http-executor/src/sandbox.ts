import { addressRules, type MayReach } from './addresses/address-rules.ts';
import type { Upstreams } from './credentials/upstreams.ts';
import { parseAllowlist } from './destinations/destinations.ts';

/** Decides which hosts may receive requests, and which addresses a host may resolve to. */
export interface Sandbox {
  /** Upstreams for new executions. A running execution keeps the upstreams that it started with. */
  upstreams: Upstreams;
  readonly mayReach: MayReach;
}

/** @throws {Error} with a list of the malformed hosts or networks. */
export function createSandbox(hosts: readonly string[], networks: readonly string[]): Sandbox {
  return {
    upstreams: {
      destinations: parseAllowlist(hosts),
      fromFile: false,
      credentials: new Map(),
      tls: new Map(),
    },
    mayReach: addressRules(networks),
  };
}
