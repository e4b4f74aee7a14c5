import { inspectJson, pointersAt } from '@gatehouse/json-text';
import { type Node, pointerSteps, type Role, roleOf } from './schema-tree.ts';

/**
 * The JSON Pointer to a number in a `const` or `enum` that loses digits as it is read, so
 * that another number would equal it. Bounds may be rounded: what they are compared with is,
 * too.
 */
export function inexactConstant(text: string, schema: Node): string | undefined {
  const bytes = Buffer.from(text);
  const { inexactNumbers } = inspectJson(bytes);
  return pointersAt(bytes, inexactNumbers).find((pointer) => isCompared(pointer, schema));
}

function isCompared(pointer: string, schema: Node): boolean {
  let role: Role = 'schema';
  let value: unknown = schema;
  for (const name of pointerSteps(pointer)) {
    if (!Array.isArray(value)) {
      const isKeyword = role === 'schema' || role === 'unknown';
      if (isKeyword && (name === 'const' || name === 'enum')) return true;
      role = roleOf(name, role);
    }
    value = (value as Record<string, unknown>)[name];
  }
  return false;
}
