import { ACTION_LIMITS } from '../executor/execution.ts';
import { JsonText } from '../json/json-text.ts';
import { failure, type Result, success } from '../result.ts';
import type { Violation } from '../violation.ts';
import { encodeFields } from './form.ts';

/** A longer `query` fits into a URL only if it consists mostly of blanks and empty lists. */
const MAX_JSON_CHARS = 8 * ACTION_LIMITS.urlBytes;

/**
 * Appends `query` to a URL, after the URL's own query and before its fragment (docs/contract.md,
 * "Query and time"), or lists what is wrong with `query`.
 */
export function appendQuery(url: string, query: unknown): Result<string, Violation[]> {
  if (query == null) return success(url);

  const json = JsonText.of(query).text;
  if (!json.trimStart().startsWith('{'))
    return failure([{ pointer: '/query', message: 'must be an object' }]);

  if (json.length > MAX_JSON_CHARS)
    return failure([
      { pointer: '/query', message: `must have at most ${MAX_JSON_CHARS} characters of JSON` },
    ]);

  const encoded = encodeFields(Buffer.from(json), {
    pointer: '/query',
    encode: encodeURIComponent,
    maxBytes: ACTION_LIMITS.urlBytes,
    tooLarge: `makes the URL longer than ${ACTION_LIMITS.urlBytes} bytes`,
  });
  if (!encoded.ok || encoded.value === '') return encoded.ok ? success(url) : encoded;

  const [, base = '', own = '', fragment = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(url) ?? [];
  const separator = own === '' ? '?' : /[?&]$/.test(own) ? '' : '&';
  return success(`${base}${own}${separator}${encoded.value}${fragment}`);
}
