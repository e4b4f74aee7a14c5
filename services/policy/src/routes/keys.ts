import { POLICY_PATHS } from '@gatehouse/contracts';
import type { Server } from '@gatehouse/service';
import { keysSchema } from '../documentation.ts';
import type { Signer } from '../signing/signer.ts';

/** Serves `GET /policy/keys` (docs/contract.md, "Keys"). */
export function serveKeys(app: Server, signer: Signer | undefined): void {
  app.get(POLICY_PATHS.keys, { schema: keysSchema }, () => signer?.keys.keySet ?? { keys: [] });
}
