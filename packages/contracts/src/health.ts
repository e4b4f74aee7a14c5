import { type Static, Type } from '@sinclair/typebox';
import { Strict } from './schema.ts';

/** `GET /healthz` (spec `policy-service.md` section 2) and `GET /readyz` when ready. */
export const Health = Strict({ status: Type.Literal('ok') }, { title: 'Health' });
export type Health = Static<typeof Health>;
