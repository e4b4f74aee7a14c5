import type { ActionArguments, ResponseType, Violation } from '@gatehouse/contracts';
import { type Fields, parseFields } from './fields.ts';

/** How an action wants its answer. */
export interface Shape {
  /** Type of the body in the outcome, or undefined for JSON without `body_type`. */
  readonly responseType: ResponseType | undefined;
  readonly fields: Fields | undefined;
  readonly maxBytes: number | undefined;
  /** True if the outcome lists the links in the `Link` header. */
  readonly links: boolean;
}

/** Reads the members that shape the answer (docs/contract.md, "Answers for models"). */
export function readShape(action: Partial<ActionArguments>): {
  readonly shape: Shape;
  readonly violations: readonly Violation[];
} {
  const { response_type, fields, max_bytes, links } = action;
  const shape = {
    responseType: response_type ?? undefined,
    fields: undefined,
    maxBytes: max_bytes ?? undefined,
    links: links === true,
  };
  if (fields == null) return { shape, violations: [] };

  const refused = (message: string) => ({ shape, violations: [{ pointer: '/fields', message }] });
  if (response_type === 'text' || response_type === 'base64')
    return refused(
      `selects members of a JSON body, so \`response_type\` must not be \`${response_type}\``,
    );

  const parsed = parseFields(fields);
  if (!parsed.ok) return refused(parsed.reason);

  return { shape: { ...shape, fields: parsed.value }, violations: [] };
}
