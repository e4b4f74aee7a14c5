import { failure, type Result, success } from '../result.ts';

/** Decodes standard base64 with padding. A reason completes the sentence "`body` …". */
export function decodeBase64(text: unknown): Result<Buffer> {
  const bytes = Buffer.from(String(text), 'base64');
  if (typeof text === 'string' && bytes.toString('base64') === text) return success(bytes);
  return failure('must be a string in standard base64 with padding, such as `aGk=`');
}
