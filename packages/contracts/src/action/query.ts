import { ACTION_LIMITS } from '../executor/execution.ts';
import { JsonText } from '../json/json-text.ts';
import { failure, type Result, success } from '../result.ts';
import type { Violation } from '../violation.ts';
import { encodeFields } from './form.ts';

/**
 * Appends `query` to a URL, after the URL's own query and before its fragment (docs/contract.md,
 * "Query and time"), or lists what is wrong with `query`.
 */
export function appendQuery(url: string, query: unknown): Result<string, Violation[]> {
  if (query == null) return success(url);

  const json = JsonText.of(query).text;
  if (!json.trimStart().startsWith('{'))
    return failure([{ pointer: '/query', message: 'must be an object' }]);

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
