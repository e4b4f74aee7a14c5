export { changeOf } from './change.ts';
export { readProfileFile, readProfiles } from './profile-file.ts';
export { type Profiles, profileFor, profilesOf } from './profiles.ts';
