import { ActionArguments, CHECK_SECTIONS } from '@gatehouse/contracts';
import { type TSchema, Type } from '@sinclair/typebox';
import type { JSONSchema7 } from 'ai';
import type { FixedFacts, Sections } from './http-request.ts';

/** No fact of an action, but what its user allows. */
const NEVER_CLAIMED = 'user_limit_minor_units';

/** An action, and the members of the check that are not fixed. */
export function inputSchemaOf(fixed: FixedFacts): TSchema {
  const sections = Object.entries(CHECK_SECTIONS).flatMap(([name, section]) => {
    const open = withoutMembers(section, [
      NEVER_CLAIMED,
      ...Object.keys(fixed[name as keyof Sections] ?? {}),
    ]);
    return Object.keys(open.properties).length > 0 ? [[name, Type.Optional(open)]] : [];
  });
  const members = { action: ActionArguments, ...Object.fromEntries(sections) };
  return Type.Object(members, { additionalProperties: false });
}

function withoutMembers(section: TSchema, without: readonly string[]): TSchema {
  const kept = (member: string) => !without.includes(member);
  const properties = Object.entries(section.properties).filter(([member]) => kept(member));
  const required = (section.required ?? []).filter(kept);
  return { ...section, properties: Object.fromEntries(properties), required };
}

/** Words of our validator, and words that some providers refuse. */
const NOT_FOR_MODELS = /^(?:x-.*|format|pattern|propertyNames)$/;

/** The same for a model to read; `null` counts as absent, so that it need not know of it. */
export function forModel(schema: TSchema): JSONSchema7 {
  const text = JSON.stringify(schema, (key, value) => {
    if (NOT_FOR_MODELS.test(key)) return undefined;
    if (key === 'type' && Array.isArray(value)) return value.find((type) => type !== 'null');
    if (key === 'enum' && Array.isArray(value)) return value.filter((word) => word !== null);
    return value?.['x-shown'] ?? value;
  });
  return JSON.parse(text);
}
