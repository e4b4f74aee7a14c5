import {
  type ClaimedAction,
  CURRENCY_FORMAT,
  claimedActionSchema,
  FixedSections,
  schemaForModel,
  splitClaimedAction,
  summarizeViolations,
} from '@gatehouse/contracts';
import { compileValidator } from '@gatehouse/contracts/validation';
import { jsonSchema } from 'ai';
import type { GatehouseToolOptions } from './gatehouse-tool.ts';

export type HttpRequest = Omit<GatehouseToolOptions<ClaimedAction>, 'gate' | 'approvals'>;

export interface HttpRequestOptions {
  /** Size limit in bytes for the body of an answer, unless the model sets one. Default: 20,000. */
  readonly maxBytes?: number;
}

const DESCRIPTION = `Sends an HTTP request. A policy first checks the facts that you state, so \
state truthfully what the request spends and touches. If you omit a section, a person must \
approve the request. Do not repeat a request that was denied or declined. The reason says what to \
change.`;

/** Accepts any three letters as a currency code, because the policy later checks the code. */
const FORMATS = { [CURRENCY_FORMAT]: (code: string) => /^[A-Za-z]{3}$/.test(code) };

const checkFixed = compileValidator(FixedSections, FORMATS);

/**
 * Returns options for a tool that can send any request, as in `gatehouseTool({ gate,
 * ...httpRequest({ legal: { flags: [] } }) })`. The model supplies the facts for the policy, but
 * cannot change the facts in `fixed`.
 * @throws {TypeError} if `fixed` is invalid, for example because a name is misspelled.
 */
export function httpRequest(
  fixed: FixedSections = {},
  { maxBytes }: HttpRequestOptions = {},
): HttpRequest {
  const facts = checkFixed(fixed);
  if (!facts.ok) throw new TypeError(summarizeViolations(facts.violations));

  if (maxBytes !== undefined && !(maxBytes >= 64))
    throw new TypeError('`maxBytes` must be at least 64.');

  const schema = claimedActionSchema(fixed);
  const check = compileValidator(schema, FORMATS);
  return {
    description: DESCRIPTION,
    inputSchema: jsonSchema(schemaForModel(schema, isRefused), {
      validate: (input) => {
        const checked = check(input);
        if (checked.ok) return { success: true, value: checked.value };
        const lines = checked.violations.map(({ pointer, message }) => `${pointer} ${message}`);
        return { success: false, error: new Error(lines.join('; ')) };
      },
    }),
    gated: (input) => splitClaimedAction(input, fixed, maxBytes),
  };
}

/** True for JSON Schema keywords that some model providers refuse. */
const isRefused = (keyword: string) => /^(?:format|pattern|propertyNames)$/.test(keyword);
