import type { Fields } from '../guard/fields.ts';
import type { Shape } from '../guard/shape.ts';
import { type Limited, limitBytes } from './limit-bytes.ts';
import { selectFields } from './select-fields.ts';

/** Part of a JSON document. */
export interface Part extends Limited {
  /** Selection that was made before the rest was shortened. */
  readonly fields: Fields | undefined;
}

/**
 * Takes the part of a JSON document that an action asks for, which is the whole document if the
 * action does not say. Unless it returns the document itself, this function checks the syntax of
 * the document to its end, so that `decode` reads the document only once.
 * @throws {JsonFault}
 */
export async function partOf(document: Buffer, { fields, maxBytes }: Wanted): Promise<Part> {
  const selected = fields === undefined ? document : await selectFields(document, fields);
  return { ...(await limitBytes(selected, maxBytes)), fields };
}

type Wanted = Pick<Shape, 'fields' | 'maxBytes'>;

/** Returns how an action wants its answer. Of a failure, it wants all fields. */
export const wantedShape = (shape: Shape, isSuccessful: boolean): Shape =>
  isSuccessful ? shape : { ...shape, fields: undefined };
