export { allowsCaller, chooseDestination, findHost } from './choose.ts';
export { loosens } from './cover.ts';
export {
  type Destination,
  type Destinations,
  listHosts,
  parseAllowlist,
} from './destinations.ts';
export { readDestinations, readDestinationsText } from './file.ts';
export { headerKey, reasonToRefuse } from './header.ts';
export { isIpLiteral, withoutBrackets } from './host.ts';
export {
  DROPPED_CHARACTERS,
  isLoopback,
  portOf,
  type Rejected,
  readUrl,
  type Target,
} from './url.ts';
