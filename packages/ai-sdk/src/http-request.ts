import {
  type ClaimedAction,
  CURRENCY_FORMAT,
  claimedAction,
  type FixedSections,
  toBeJudged,
} from '@gatehouse/contracts';
import { compileValidator } from '@gatehouse/validation';
import type { TSchema } from '@sinclair/typebox';
import { type JSONSchema7, jsonSchema } from 'ai';
import type { GatehouseToolOptions } from './gatehouse-tool.ts';

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
export function httpRequest(fixed: FixedSections = {}): HttpRequest {
  const schema = claimedAction(fixed);
  const check = compileValidator(schema, FORMATS);
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

/** Words of our validator, and words that some providers refuse. */
const LEFT_OUT = /^(?:x-.*|format|pattern|propertyNames)$/;

/** A schema for a model to read; `null` counts as absent, so that it need not know of it. */
export function schemaForModel(schema: TSchema): JSONSchema7 {
  const text = JSON.stringify(schema, (key, value) => {
    if (LEFT_OUT.test(key)) return undefined;
    if (key === 'type' && Array.isArray(value)) return value.find((type) => type !== 'null');
    if (key === 'enum' && Array.isArray(value)) return value.filter((word) => word !== null);
    return value?.['x-shown'] ?? value;
  });
  return JSON.parse(text);
}
