import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Folders with system programs, which a user's PATH often lacks. */
const ADMIN_FOLDERS = ['/usr/sbin', '/usr/local/sbin'];

/** Finds the first of the named programs that is installed. Returns its path. */
export function findProgram(...names: readonly string[]): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...ADMIN_FOLDERS];
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

const CHROMIUM = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
];

/** Finds Chromium: CHROMIUM_PATH, or an installed program. */
export const findChromium = () => process.env.CHROMIUM_PATH || findProgram(...CHROMIUM);

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
