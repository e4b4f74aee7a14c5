export { changeOf, type ProfileChange } from './change.ts';
export { InvalidProfileFile, type Mistake } from './invalid-profile-file.ts';
export { type Profiles, profileFor, profilesOf } from './profiles.ts';
export { readProfileFile, readProfiles } from './read.ts';
export { parseYaml, type YamlText } from './yaml-text.ts';
