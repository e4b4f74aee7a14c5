export { changeOf } from './change.ts';
export {
  type Profiles,
  profileFor,
  profilesOf,
  readProfileFile,
  readProfiles,
} from './profile-file.ts';
export { parseSigningKeys, readSigningKeys, type SigningKeys } from './signing-keys.ts';
