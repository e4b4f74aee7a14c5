import {
  type ClaimedAction,
  CURRENCY_FORMAT,
  claimedAction,
  type Facts,
  toBeJudged,
} from '@gatehouse/contracts';
import { compileCheck } from '@gatehouse/validation';
import { jsonSchema } from 'ai';
import type { GatehouseToolOptions } from './gatehouse-tool.ts';
import { schemaForModel } from './schema-for-model.ts';

/** What `gatehouseTool` takes besides the gate. */
export type HttpRequest = Omit<GatehouseToolOptions<ClaimedAction>, 'gate' | 'approvals'>;

const DESCRIPTION = `Sends an HTTP request. A policy judges it first by what you state about it, \
so state truthfully what it spends and touches; a section that you leave out needs a person's \
approval. Do not repeat a request that was denied or not approved: the reason says what to change.`;

/** The policy has the list of codes. */
const FORMATS = { [CURRENCY_FORMAT]: (code: string) => /^[A-Za-z]{3}$/.test(code) };

/**
 * A tool for any request: `gatehouseTool({ gate, ...httpRequest({ legal: { flags: [] } }) })`.
 * The model cannot state what is fixed; the rest is its own claim.
 */
export function httpRequest(fixed: Facts = {}): HttpRequest {
  const schema = claimedAction(fixed);
  const check = compileCheck(schema, FORMATS);
  return {
    description: DESCRIPTION,
    inputSchema: jsonSchema(schemaForModel(schema), {
      validate: (input) => {
        const checked = check(input);
        if (checked.ok) return { success: true, value: checked.value };
        const lines = checked.violations.map(({ pointer, message }) => `${pointer} ${message}`);
        return { success: false, error: new Error(lines.join('; ')) };
      },
    }),
    gated: (input) => toBeJudged(input, fixed),
  };
}
