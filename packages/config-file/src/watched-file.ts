import { type Stats, statSync, unwatchFile, watchFile } from 'node:fs';

/** Polling interval in milliseconds. `fs.watch` would miss renames and changed symbolic links. */
const POLL_MS = 200;

/** Milliseconds to wait after the last change, because a half-written file can look valid. */
const SETTLE_MS = 5_000;

/** Shorter wait after a rename, because a file renamed into place is already fully written. */
const SETTLE_RENAMED_MS = 300;

export interface WatchedFile {
  /** Makes `changed` run within about five seconds, whether or not the file has changed. */
  readonly readAgain: () => void;
  /** Calls `changed` after 0.3 seconds, or later if the file may still be changing. */
  readonly readSoon: () => void;
  readonly stop: () => void;
}

/**
 * Calls `changed` after a file is written, replaced or removed. A burst of changes causes only one
 * call, after the last change. Also calls `changed` five seconds after the watch begins, in case
 * the file changed just before.
 */
export function watchedFile(path: string, changed: () => void): WatchedFile {
  let timer: NodeJS.Timeout | undefined;
  let modified = modifiedAt(path);
  const schedule = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(callIfSettled, ms).unref();
  };
  const callIfSettled = () => {
    const before = modified;
    modified = modifiedAt(path);
    timer = undefined;
    // If the file has changed since the last poll, wait again, because a write may be in progress.
    if (modified === before) changed();
    else schedule(SETTLE_MS);
  };
  const onChange = (now: Stats, before: Stats) => {
    modified = now.mtimeMs;
    schedule(isRenamed(now, before) ? SETTLE_RENAMED_MS : SETTLE_MS);
  };
  // Do not restart a timer that is already waiting for the file to stop changing.
  const scheduleOnce = (ms: number) => () => {
    if (timer === undefined) schedule(ms);
  };
  watchFile(path, { interval: POLL_MS, persistent: false }, onChange);
  const readAgain = scheduleOnce(SETTLE_MS);
  readAgain();
  const stop = () => {
    clearTimeout(timer);
    unwatchFile(path, onChange);
  };
  return { readAgain, readSoon: scheduleOnce(SETTLE_RENAMED_MS), stop };
}

/** Returns the modification time in milliseconds, or 0 if the file is missing. */
const modifiedAt = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/**
 * True if the stats suggest that another file was renamed to this path. A rename changes the inode
 * number and updates `ctime`, but not `mtime`. A write or `chmod` in place keeps the inode number.
 */
function isRenamed(now: Stats, before: Stats): boolean {
  return now.ino !== before.ino && now.ctimeMs > now.mtimeMs;
}
