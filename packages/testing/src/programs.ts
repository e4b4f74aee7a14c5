import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Folders of an administrator's programs, which the PATH of a user often lacks. */
const ADMIN_FOLDERS = ['/usr/sbin', '/usr/local/sbin'];

/** The path of the first of these programs that is installed. */
export function findProgram(...names: readonly string[]): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...ADMIN_FOLDERS];
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
