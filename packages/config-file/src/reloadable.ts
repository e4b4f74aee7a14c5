import { hash } from 'node:crypto';
import { failure, type Result, success } from '@gatehouse/contracts';
import { type ReadFile, readRegularFile } from './text-file.ts';

export interface Reload<T> {
  readonly path: string;
  /** Reads the file, and any files that it names, only with `readFile`. @throws Error */
  readonly read: (readFile: ReadFile) => T;
  /** Puts the value in force. `isFirst` is true for the read after startup. @throws Error */
  readonly apply: (value: T, isFirst: boolean) => void;
  /** Gets what `read` or `apply` threw, once per change. The last good value stays in force. */
  readonly failed: (error: Error) => void;
  /** Polling interval in milliseconds. Default: 1000 */
  readonly pollMs?: number | undefined;
}

export interface Reloadable {
  /** Reads the files after one interval, whether or not they have changed. */
  readonly readAgain: () => void;
  readonly stop: () => void;
}

/**
 * Polls a file, and the files that it names, and reads them when their bytes have changed. Two
 * polls in a row must find the same bytes, because a half-written file can look valid.
 */
export function reloadable<T>(reload: Reload<T>): Reloadable {
  let files = new Files([reload.path]);
  let taken: string | undefined;
  let isFirst = true;

  const poll = () => {
    const before = files.digest;
    files = new Files(files.paths);
    if (files.digest !== before || files.digest === taken) return;

    files = new Files();
    const value = catchError(() => reload.read(files.read));
    // `read` has opened another file, or a file has just changed, so wait for the next poll.
    if (files.digest !== before) return;

    taken = before;
    const applied = value.ok ? catchError(() => reload.apply(value.value, isFirst)) : value;
    isFirst = false;
    if (!applied.ok) reload.failed(applied.reason);
  };

  const timer = setInterval(poll, reload.pollMs ?? 1_000).unref();
  return {
    readAgain: () => {
      isFirst = false;
      taken = undefined;
      files = new Files(files.paths);
      timer.refresh();
    },
    stop: () => clearInterval(timer),
  };
}

/** Paths of files and digests of their contents, which may contain secrets and are not kept. */
class Files {
  readonly #found = new Map<string, string>();

  constructor(paths: readonly string[] = []) {
    for (const path of paths) catchError(() => this.read(path));
  }

  readonly read: ReadFile = (path) => {
    try {
      const content = readRegularFile(path);
      this.#found.set(path, hash('sha256', content));
      return content;
    } catch (error) {
      this.#found.set(path, (error as Error).message);
      throw error;
    }
  };

  get paths(): string[] {
    return [...this.#found.keys()];
  }

  get digest(): string {
    return JSON.stringify([...this.#found]);
  }
}

/** Calls a function, and returns its value or the error that it throws. */
function catchError<T>(run: () => T): Result<T, Error> {
  try {
    return success(run());
  } catch (error) {
    return failure(error as Error);
  }
}
