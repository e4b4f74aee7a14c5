export { printable } from './printable.ts';
export { decodeText, readTextFile } from './text-file.ts';
export { type WatchedFile, watchedFile } from './watched-file.ts';
export { InvalidFile, parseYaml } from './yaml.ts';
