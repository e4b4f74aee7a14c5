export { decodeText, readTextFile } from './text-file.ts';
export { type WatchedFile, watchedFile } from './watched-file.ts';
export { InvalidFile, parseYaml, printable } from './yaml.ts';
