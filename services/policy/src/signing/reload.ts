import { type Reloadable, reloadable } from '@gatehouse/config-file';
import { readSigningKeys } from '@gatehouse/policy/files';
import type { Logger } from '@gatehouse/service';
import type { Signer } from './signer.ts';

/** Reloads the key file when it changes. If it is unusable, the last good keys stay in force. */
export function reloadSigningKeys(
  path: string,
  signer: Signer,
  logger: Logger,
  pollMs: number | undefined,
): Reloadable {
  return reloadable({
    ...{ path, pollMs },
    read: (readFile) => readSigningKeys(path, readFile),
    apply: (keys) => {
      const ids = keys.keySet.keys.map(({ kid }) => kid);
      const isSame = ids.join() === signer.keys.keySet.keys.map(({ kid }) => kid).join();
      signer.keys = keys;
      if (!isSame) logger.info({ keys: ids }, 'signing keys changed; the first one signs');
    },
    failed: ({ message: reason }) =>
      logger.error({ reason }, 'signing keys unusable; the last good ones stay in force'),
  });
}
