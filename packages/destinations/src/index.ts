export { chooseDestination } from './choose.ts';
export { loosens } from './cover.ts';
export {
  type Asked,
  allowsCaller,
  type Destination,
  Destinations,
  type Match,
  parseAllowlist,
} from './destinations.ts';
export { isLoopback, readDestinations, readDestinationsText } from './file.ts';
export { isIpLiteral, portOf, withBrackets, withoutBrackets } from './host.ts';
export { readLocation, readUrl, type Target } from './url.ts';
