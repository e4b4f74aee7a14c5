export { InvalidFile, printable } from './invalid-file.ts';
export { decodeText, readTextFile } from './text-file.ts';
export { type WatchedFile, watchedFile } from './watched-file.ts';
export { parseYaml } from './yaml.ts';
