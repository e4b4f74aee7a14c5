export { changeOf, type ProfileChange } from './change.ts';
export { InvalidFile, type Mistake, printable } from './invalid-file.ts';
export { type Profiles, profileFor, profilesOf } from './profiles.ts';
export { readProfileFile, readProfiles, readUpTo } from './read.ts';
export { parseYaml, type YamlText } from './yaml-text.ts';
