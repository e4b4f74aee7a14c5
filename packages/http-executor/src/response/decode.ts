import { type JsonFault, withoutByteOrderMark } from '@gatehouse/json-text';
import { MAX_JSON_DEPTH } from '../json-depth.ts';

const NULL = Buffer.from('null');

/** What is read as JSON: an empty body is `null`, and a byte order mark is dropped. */
export function decode(bytes: Buffer): Buffer {
  return bytes.length === 0 ? NULL : withoutByteOrderMark(bytes);
}

export const NOT_JSON = 'not JSON in UTF-8';

/** Why a body is not taken as JSON; completes "its body is …". */
export function reasonOf({ reason }: JsonFault): string {
  return reason === 'depth' ? `nested deeper than ${MAX_JSON_DEPTH} levels` : NOT_JSON;
}
