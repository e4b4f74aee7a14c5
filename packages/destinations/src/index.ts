export { allowsCaller, chooseDestination } from './choose.ts';
export { loosens } from './cover.ts';
export {
  type Destination,
  type Destinations,
  findHost,
  listHosts,
  parseAllowlist,
} from './destinations.ts';
export { readDestinations, readDestinationsText } from './file.ts';
export {
  isIpLiteral,
  isLoopback,
  portOf,
  readLocation,
  readUrl,
  type Target,
  withoutBrackets,
} from './url.ts';
