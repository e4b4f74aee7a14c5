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
export { isIpLiteral, isLoopback, withoutBrackets } from './host.ts';
export { portOf, readLocation, readUrl, type Target } from './url.ts';
