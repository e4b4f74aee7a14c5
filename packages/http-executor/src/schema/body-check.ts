import type { Violation } from '@gatehouse/contracts';

/** The first violations of a schema by a value; none: the value is valid. */
export type Check = (value: unknown) => readonly Violation[];

export function bodyViolation(pointer: string, message = 'is not valid'): Violation {
  return { pointer, message: `${pointer === '' ? 'the body' : pointer} ${message}` };
}
