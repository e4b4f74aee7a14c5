import type { GatedAction } from '@gatehouse/client';
import {
  type ActionArguments,
  CHECK_SECTIONS,
  type CheckRequest,
  CURRENCY_FORMAT,
  type Spend,
} from '@gatehouse/contracts';
import { compileCheck } from '@gatehouse/validation';
import { type FlexibleSchema, jsonSchema } from 'ai';
import { forModel, inputSchemaOf } from './input-schema.ts';

/** Facts of the check that the model cannot choose: its schema has no member for them. */
export interface FixedFacts extends Omit<Sections, 'spend'> {
  /** Only here may `user_limit_minor_units` be set: a model could raise its own limit. */
  readonly spend?: Partial<Spend>;
}

export type Sections = Omit<CheckRequest, 'request_id'>;

/** An action, and what the model says that it spends and touches. */
export interface HttpRequestInput extends Sections {
  readonly action: ActionArguments;
}

/** What `gatehouseTool` takes besides the gate. */
export interface HttpRequest {
  readonly description: string;
  readonly inputSchema: FlexibleSchema<HttpRequestInput>;
  readonly gated: (input: HttpRequestInput) => GatedAction;
}

const DESCRIPTION = `Sends an HTTP request. A policy judges it first by what you state about it, \
so state truthfully what it spends and touches; a section that you leave out needs a person's \
approval. Do not repeat a request that was denied or not approved: the reason says what to change.`;

/** The policy service has the list of codes. */
const FORMATS = { [CURRENCY_FORMAT]: (code: string) => /^[A-Za-z]{3}$/.test(code) };

/**
 * A tool for any request: `gatehouseTool({ gate, ...httpRequest({ legal: { flags: [] } }) })`.
 * What is not fixed is the model's own claim.
 */
export function httpRequest(fixed: FixedFacts = {}): HttpRequest {
  const schema = inputSchemaOf(fixed);
  const check = compileCheck(schema, FORMATS);
  return {
    description: DESCRIPTION,
    inputSchema: jsonSchema<HttpRequestInput>(forModel(schema), {
      validate: (input) => {
        const checked = check(input);
        if (checked.ok) return { success: true, value: input as HttpRequestInput };
        const lines = checked.violations.map(({ pointer, message }) => `${pointer} ${message}`);
        return { success: false, error: new Error(lines.join('; ')) };
      },
    }),
    gated: ({ action, ...claimed }) => ({ action, check: withFixed(claimed, fixed) }),
  };
}

/** A section that the model left out stays out, unless what is fixed is all of it. */
function withFixed(claimed: Sections, fixed: FixedFacts): CheckRequest {
  const names = Object.keys(CHECK_SECTIONS) as (keyof Sections)[];
  const stated = names.filter((name) => {
    const { required = [] } = CHECK_SECTIONS[name];
    const facts = fixed[name];
    const whole = facts != null && required.every((member: string) => member in facts);
    return claimed[name] != null || whole;
  });
  return Object.fromEntries(stated.map((name) => [name, { ...claimed[name], ...fixed[name] }]));
}
