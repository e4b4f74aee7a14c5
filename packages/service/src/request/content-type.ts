import type { IncomingHttpHeaders } from 'node:http';
import { MIMEType } from 'node:util';
import { ProblemError } from '../problems/problem-error.ts';

/** Nearly all clients send this. */
const USUAL = /^application\/json(?:; ?charset=utf-8)?$/i;

const SHOWN_LENGTH = 100;

/** The problem of a body that is not plain JSON in UTF-8 (contract, section 1). */
export function unsupportedBody(headers: IncomingHttpHeaders): ProblemError | undefined {
  const { 'content-type': type, 'content-encoding': encoding } = headers;
  if (encoding !== undefined && !/^(?:identity)?$/i.test(encoding)) {
    return unsupported('Send the body as it is, without `content-encoding`', encoding);
  }
  if (type === undefined ? isEmpty(headers) : USUAL.test(type)) return undefined;
  const mediaType = readMediaType(type);
  if (mediaType?.essence !== 'application/json') {
    return unsupported('Send the body as JSON, with `content-type: application/json`', type);
  }
  const charset = mediaType.params.get('charset') ?? 'utf-8';
  if (charset.toLowerCase() === 'utf-8') return undefined;
  const remedy = 'Send the body in UTF-8, with `content-type: application/json`';
  return unsupported(remedy, `charset=${charset}`);
}

function isEmpty(headers: IncomingHttpHeaders): boolean {
  const length = headers['content-length'] ?? '0';
  return length === '0' && headers['transfer-encoding'] === undefined;
}

function readMediaType(type = ''): MIMEType | undefined {
  try {
    return new MIMEType(type);
  } catch {
    return undefined;
  }
}

function unsupported(remedy: string, said = ''): ProblemError {
  const shown = said === '' ? 'has none' : `says \`${said.slice(0, SHOWN_LENGTH)}\``;
  return new ProblemError('UnsupportedMediaType', `${remedy}; this request ${shown}.`);
}
