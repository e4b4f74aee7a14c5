import { type Static, Type } from '@sinclair/typebox';
import { StrictTitled } from './schema.ts';

/** `GET /healthz` (spec `policy-service.md` section 2) and `GET /readyz` when ready. */
export const Health = StrictTitled('Health', { status: Type.Literal('ok') });
export type Health = Static<typeof Health>;
