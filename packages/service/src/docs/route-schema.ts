import { PROBLEM_MEDIA_TYPE, PROBLEMS, Problem, type ProblemCode } from '@gatehouse/contracts';
import { type TProperties, type TSchema, Type } from '@sinclair/typebox';
import type { FastifySchema } from 'fastify';
import { isOpen, isProbe } from '../http/paths.ts';
import { REQUEST_ID_HEADER } from '../http/request-head.ts';
import { exampleProblem, isTemporary } from '../problems/problem-reply.ts';

declare module 'fastify' {
  interface FastifySchema {
    /** Problems that this route can return, in addition to those that every route can return. */
    problems?: readonly ProblemCode[];
    /** Request headers, besides `x-request-id`, that are documented but not validated. */
    requestHeaders?: TProperties;
  }
}

/** OpenAPI tag for routes that every service has, such as `/healthz`. */
export const SERVICE_TAG = 'service';

export const TRACE_HEADERS = {
  traceparent: Type.String({ description: 'W3C trace context, passed on to the upstream.' }),
  tracestate: Type.String({ description: 'W3C trace state, passed on with `traceparent`.' }),
};

type Examples = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;

export function withExamples<T extends TSchema>(schema: T, examples: Examples): T {
  return { ...schema, 'x-examples': examples };
}

export function responseOf<T extends TSchema>(schema: T, description: string, examples?: Examples) {
  const shown = { ...schema, 'x-response-description': description };
  return examples === undefined ? shown : withExamples(shown, examples);
}

export const textResponse = (mediaType: string, description: string) => ({
  produces: [mediaType],
  response: { 200: responseOf(Type.String({ description: 'Readable text.' }), description) },
});

const ANY_REQUEST: readonly ProblemCode[] = [
  'MalformedRequest',
  'RequestTimeout',
  'HeadersTooLarge',
  'InternalError',
];
const ANY_BODY = ['MalformedJson', 'PayloadTooLarge', 'UnsupportedMediaType'] as const;

const requestId = (description: string) => ({ [REQUEST_ID_HEADER]: Type.String({ description }) });
const SENT_ID = requestId(
  'Request id for the response and the log: 1 to 128 visible ASCII characters. If the header is missing or invalid, the service generates an id.',
);
const RETURNED_ID = requestId('The request id that the caller sent, or else a new id.');

/**
 * Completes a route schema with shared parts, such as `x-request-id` and common problems.
 * Leaves out problems that the route cannot return, such as `Overloaded` for a health probe.
 */
export function describeRoute(schema: FastifySchema, url: string): FastifySchema {
  const open = isOpen(url);
  const probe = isProbe(url);
  const { problems = [], requestHeaders, response, ...rest } = schema;
  const [[status = '200', success] = []] = Object.entries(
    response as Readonly<Record<number, TSchema>>,
  );
  const codes: ProblemCode[] = [...ANY_REQUEST];
  if (schema.body !== undefined) codes.push(...ANY_BODY);
  if (!probe) codes.push('Overloaded');
  if (!open) codes.push('Unauthorized');
  if (!open && !probe) codes.push('TokenNotAllowed');
  return {
    tags: [SERVICE_TAG],
    ...rest,
    ...(open && { security: [] }),
    headers: Type.Partial(Type.Object({ ...SENT_ID, ...requestHeaders })),
    response: {
      [status]: { ...success, headers: { ...RETURNED_ID, ...success?.headers } },
      ...problemResponses([...codes, ...problems]),
    },
  };
}

const CHALLENGE = Type.String({ description: 'Authentication scheme, always `Bearer`.' });
const RETRY_AFTER = Type.Integer({
  minimum: 1,
  description: 'Seconds to wait before sending the request again.',
});

/** Groups the problems into one response per status, with one example per problem. */
function problemResponses(codes: readonly ProblemCode[]) {
  const byStatus = [...Map.groupBy(codes, (code) => PROBLEMS[code].status)];
  return Object.fromEntries(byStatus.map(([status, of]) => [status, problemResponse(status, of)]));
}

function problemResponse(status: number, codes: readonly ProblemCode[]) {
  const examples = codes.map((code) => [
    code,
    { summary: PROBLEMS[code].title, value: exampleProblem(code) },
  ]);
  const texts = codes.map(
    (code) => `\`${code}\`: ${PROBLEMS[code].meaning} ${PROBLEMS[code].remedy}`,
  );
  return {
    description: texts.join('\n\n'),
    headers: {
      ...RETURNED_ID,
      ...(status === 401 && { 'www-authenticate': CHALLENGE }),
      ...(isTemporary(status) && { 'retry-after': RETRY_AFTER }),
    },
    content: { [PROBLEM_MEDIA_TYPE]: { schema: Problem, examples: Object.fromEntries(examples) } },
  };
}
