import type { WatchedFile } from '@gatehouse/config-file';
import type { Logger } from '../log/logger.ts';

/** Files that are read again when they change, and on SIGHUP. */
export class WatchedFiles {
  readonly #files: WatchedFile[] = [];

  add(file: WatchedFile): void {
    this.#files.push(file);
  }

  readAgain(logger: Logger): void {
    if (this.#files.length === 0)
      logger.info('nothing to reload because no setting names a file that can change');
    for (const file of this.#files) file.readAgain();
  }

  stop(): void {
    for (const file of this.#files) file.stop();
  }
}
