import { CURRENCY_FORMAT } from '@gatehouse/contracts';
import type { TSchema } from '@sinclair/typebox';

/** Plain JSON Schema for hosts and models: without the words of our own validator. */
export function shownSchema(schema: TSchema): { type: 'object'; [keyword: string]: unknown } {
  const text = JSON.stringify(schema, (key, value) =>
    key.startsWith('x-') || value === CURRENCY_FORMAT ? undefined : (value?.['x-shown'] ?? value),
  );
  return JSON.parse(text);
}
