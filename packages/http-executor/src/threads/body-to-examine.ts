import type { ResponseType } from '@gatehouse/contracts';
import { type AttemptResult, isSuccess } from '../attempt/result.ts';
import type { BodyFacts } from '../decode/decode.ts';
import type { Redactor } from '../redact/redact.ts';
import type { CompiledSchema } from '../validate/response-schemas.ts';

export interface BodyToExamine extends BodyFacts {
  readonly bytes: Buffer;
  readonly redactor: Redactor;
  readonly schema: CompiledSchema | undefined;
}

/** Length of the excerpt from a non-2xx response whose body has the wrong type or is cut off. */
const FAILURE_CHARS = 2_000;
const SUCCESS_CHARS = 200;

/** Returns the body to decode, validate and redact, or undefined if the outcome has no body. */
export function bodyToExamine(
  result: AttemptResult,
  type: ResponseType,
  { redactor, schema }: Pick<BodyToExamine, 'redactor' | 'schema'>,
): BodyToExamine | undefined {
  if (!('response' in result)) return undefined;
  const { status, headers, body } = result.response;
  const { bytes, fault } = body;
  const cut = fault !== undefined;
  if (cut && (isSuccess(status) || bytes.length === 0)) return undefined;
  return {
    bytes,
    cut,
    type,
    contentType: [headers['content-type']].flat()[0],
    textChars: isSuccess(status) ? SUCCESS_CHARS : FAILURE_CHARS,
    redactor,
    schema: isSuccess(status) ? schema : undefined,
  };
}

/** Copies bytes out of a larger buffer, so that a thread does not receive the whole buffer. */
export function ownBytes(bytes: Uint8Array): Uint8Array {
  return bytes.length === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}
