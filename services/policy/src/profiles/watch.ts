import { realpathSync, type Stats, statSync, unwatchFile, watchFile } from 'node:fs';

/** Polling also notices renamed files, swapped links and mounts that send no events. */
const POLL_MS = 200;

/**
 * A file written in place: half of it can be a valid profile, and nothing shows whether its
 * writer only pauses.
 */
const IN_PLACE_MS = 5_000;

/** A file that was renamed to this name, or that a swapped link leads to, is whole. */
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
  let known = lookAt(path);
  let pending: NodeJS.Timeout | undefined;
  const look = (found: Seen | undefined) => {
    if (isSame(found, known)) return;
    const replaced = isReplaced(found, known);
    known = found;
    clearTimeout(pending);
    pending = setTimeout(settled, replaced ? REPLACED_MS : IN_PLACE_MS).unref();
  };
  const isSettled = () => {
    look(lookAt(path));
    return pending === undefined;
  };
  const readAgain = () => {
    if (isSettled()) changed();
  };
  const settled = () => {
    pending = undefined;
    readAgain();
  };
  const listener = () => look(lookAt(path));
  watchFile(path, { interval: POLL_MS, persistent: false }, listener);
  // A change before the first look of `watchFile` would go unnoticed.
  const first = setTimeout(listener, POLL_MS).unref();
  const stop = () => {
    clearTimeout(first);
    clearTimeout(pending);
    unwatchFile(path, listener);
  };
  return { isSettled, readAgain, stop };
}

interface Seen {
  readonly stats: Stats;
  /** Where links lead. */
  readonly target: string;
}

/** Undefined for a file that is missing or out of reach. */
function lookAt(path: string): Seen | undefined {
  try {
    return { stats: statSync(path), target: realpathSync(path) };
  } catch {
    return undefined;
  }
}

/**
 * Whether a whole file took the place of another. A file that was created under this name may
 * still be written. A rename shows, because it comes after the last write and changes `ctime`.
 */
function isReplaced(found: Seen | undefined, known: Seen | undefined): boolean {
  if (found === undefined || known === undefined) return found === undefined;
  if (found.target !== known.target) return true;
  return found.stats.ino !== known.stats.ino && found.stats.ctimeMs > found.stats.mtimeMs;
}

const FIELDS = ['dev', 'ino', 'size', 'mtimeMs', 'ctimeMs'] as const;

const isSame = (one: Seen | undefined, other: Seen | undefined) =>
  one?.target === other?.target &&
  FIELDS.every((field) => one?.stats[field] === other?.stats[field]);
