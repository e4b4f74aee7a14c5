import { failure, type Result, success } from '../result.ts';

const BASE64 = /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/;

/** Decodes standard base64 with padding. A reason completes the sentence "`body` …". */
export function decodeBase64(text: unknown): Result<Buffer> {
  if (typeof text === 'string' && BASE64.test(text)) return success(Buffer.from(text, 'base64'));
  return failure('must be a string in standard base64 with padding, such as `aGk=`');
}
