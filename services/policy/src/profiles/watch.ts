import { type Stats, statSync, unwatchFile, watchFile } from 'node:fs';

/** Polling also notices renamed files, swapped links and mounts that send no events. */
const POLL_MS = 200;

/**
 * A file written in place: half of it can be a valid profile, and nothing shows whether its
 * writer only pauses.
 */
const IN_PLACE_MS = 5_000;

/** Another file that takes this name is whole, unless it is created under this name. */
const REPLACED_MS = 300;

export interface FileWatch {
  /** False while the file changes; `changed` is then called once it has settled. */
  readonly isSettled: () => boolean;
  /** Calls `changed` now, or once the file has settled. */
  readonly readAgain: () => void;
  readonly stop: () => void;
}

/** Calls `changed` once a file that was written, replaced or removed has settled. */
export function watchForChange(path: string, changed: () => void): FileWatch {
  let known = statOf(path);
  let pending: NodeJS.Timeout | undefined;
  const look = (found: Stats | undefined) => {
    if (isSame(found, known)) return;
    const replaced = known !== undefined && found?.ino !== known.ino;
    known = found;
    clearTimeout(pending);
    pending = setTimeout(settled, replaced ? REPLACED_MS : IN_PLACE_MS).unref();
  };
  const isSettled = () => {
    look(statOf(path));
    return pending === undefined;
  };
  const readAgain = () => {
    if (isSettled()) changed();
  };
  const settled = () => {
    pending = undefined;
    readAgain();
  };
  const listener = () => look(statOf(path));
  watchFile(path, { interval: POLL_MS, persistent: false }, listener);
  const stop = () => {
    clearTimeout(pending);
    unwatchFile(path, listener);
  };
  return { isSettled, readAgain, stop };
}

/** Undefined for a file that is missing or out of reach. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

const FIELDS = ['dev', 'ino', 'size', 'mtimeMs', 'ctimeMs'] as const;

const isSame = (one: Stats | undefined, other: Stats | undefined) =>
  FIELDS.every((field) => one?.[field] === other?.[field]);
