import { CURRENCY_FORMAT } from '@gatehouse/contracts';
import type { TSchema } from '@sinclair/typebox';

/** Plain JSON Schema for hosts and models: without the words of our own validator. */
export function shownSchema(schema: TSchema): { type: 'object'; [keyword: string]: unknown } {
  return plain(schema) as { type: 'object' };
}

function plain(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(plain);
  if (typeof node !== 'object' || node === null) return node;
  const schema = node as Record<string, unknown>;
  if (schema['x-shown'] !== undefined) return plain(schema['x-shown']);
  const members = Object.entries(schema)
    .filter(([name, value]) => !name.startsWith('x-') && value !== CURRENCY_FORMAT)
    .map(([name, value]) => [name, plain(value)]);
  return Object.fromEntries(members);
}
