import type { Method } from '@gatehouse/contracts';
import { chooseDestination, type Destination, type Target } from '@gatehouse/destinations';
import { NO_WAY_AROUND, Refusal } from '../errors.ts';
import type { SettingNames } from '../sandbox/sandbox.ts';
import type { Upstreams } from '../upstreams.ts';

/** The destination chosen for a request, and the configuration that it was chosen from. */
export interface Route {
  readonly destination: Destination;
  readonly upstreams: Upstreams;
  readonly caller: string | undefined;
}

export const credentialOf = ({ upstreams, destination }: Route) =>
  upstreams.credentials.get(destination.source.credential ?? '');

/** Finds the destination, or returns a `HostNotAllowed` or `DestinationNotAllowed` refusal. */
export function findRoute(
  target: Target,
  method: Method,
  { upstreams, caller }: Omit<Route, 'destination'>,
  names: SettingNames,
): Route | Refusal {
  const { destinations, fromFile } = upstreams;
  const listedIn = fromFile ? names.destinations : names.allowedHosts;
  const choice = chooseDestination(destinations, { ...target, method, caller, listedIn });
  if (choice.kind === 'match') return { destination: choice.destination, upstreams, caller };
  const { by, reason } = choice;
  const canBeCorrected = by === 'spelling' || by === 'scheme';
  return new Refusal(
    fromFile ? 'DestinationNotAllowed' : 'HostNotAllowed',
    canBeCorrected ? reason : `${reason} ${NO_WAY_AROUND}`,
  );
}
