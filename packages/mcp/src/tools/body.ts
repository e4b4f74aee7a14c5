import type { ActionArguments, Violation } from '@gatehouse/contracts';

/** Types of `body` for models, which tend to write JSON as text if a schema names no types. */
export const BODY_TYPES = [
  { type: 'object', additionalProperties: true },
  { type: 'array', items: {} },
  ...['string', 'number', 'boolean'].map((type) => ({ type })),
];

const IS_JSON = /^(?:application\/json|[^;]*\+json)\s*(?:;|$)/i;

/**
 * Returns violations for bodies that models often write by mistake:
 * 1. an empty body of a GET or HEAD request, which many upstreams refuse;
 * 2. text that holds a JSON object or list, which would be sent as a JSON string.
 */
export function bodyViolations({ method, headers, body }: ActionArguments): Violation[] {
  if (/^(?:get|head)$/i.test(method) && meansNoBody(body))
    return [violation(`is empty; leave \`body\` out of a ${method.toUpperCase()} request`)];

  const names = Object.keys(headers ?? {});
  const name = names.find((each) => each.toLowerCase() === 'content-type');
  const type = name === undefined ? 'application/json' : (headers?.[name] ?? '');
  const held = IS_JSON.test(type.trim()) ? jsonInString(body) : undefined;
  if (held === undefined) return [];

  return [
    violation(
      `is text that holds a JSON ${held.kind}; write the ${held.kind} itself, without quotation marks around it and without backslashes, such as ${held.example}`,
    ),
  ];
}

const violation = (message: string): Violation => ({ pointer: '/body', message });

function meansNoBody(body: unknown): boolean {
  if (body === '') return true;
  return typeof body === 'object' && body !== null && Object.keys(body).length === 0;
}

function jsonInString(body: unknown) {
  if (typeof body !== 'string' || !/^\s*[{[]/.test(body)) return undefined;
  try {
    return Array.isArray(JSON.parse(body))
      ? { kind: 'list', example: '`"body": [1, 2]`' }
      : { kind: 'object', example: '`"body": { "id": 7 }`' };
  } catch {
    return undefined;
  }
}
