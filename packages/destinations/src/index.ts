export { chooseDestination } from './choose.ts';
export { loosens } from './cover.ts';
export {
  allowsCaller,
  type Destination,
  type Destinations,
  findHost,
  listHosts,
  parseAllowlist,
} from './destinations.ts';
export { readDestinations, readDestinationsText } from './file.ts';
export { isIpLiteral, isLoopback, portOf, withoutBrackets } from './host.ts';
export { readLocation, readUrl, type Target } from './url.ts';
