export { checkCertificates } from './certificates.ts';
export { InvalidFile } from './invalid-file.ts';
export { type Reload, type Reloadable, reloadable } from './reloadable.ts';
export { decodeText, type ReadFile, readRegularFile, readTextFile } from './text-file.ts';
export { unknownSettings } from './unknown-settings.ts';
export { parseYaml } from './yaml.ts';
