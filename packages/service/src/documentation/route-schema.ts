import { PROBLEM_MEDIA_TYPE, PROBLEMS, Problem, type ProblemCode } from '@gatehouse/contracts';
import { type TProperties, type TSchema, Type } from '@sinclair/typebox';
import type { FastifySchema } from 'fastify';
import { exampleProblem, isTemporary } from '../problems/problem-reply.ts';
import { REQUEST_ID_HEADER } from '../request/request-id.ts';

declare module 'fastify' {
  interface FastifySchema {
    /** Problems besides those that any request, or any body, may get. */
    problems?: readonly ProblemCode[];
    /** Request headers to show besides `x-request-id`; they are not validated. */
    requestHeaders?: TProperties;
  }
}

/** The tag of the routes that every service has; the default. */
export const SERVICE_TAG = 'service';

/** The W3C trace context of a request, where it is passed on. */
export const TRACE_HEADERS = {
  traceparent: Type.String({ description: 'W3C trace context, passed on to the upstream.' }),
  tracestate: Type.String({ description: 'Belongs to `traceparent`, and is passed on with it.' }),
};

/** Documents, each with a summary, that a schema shows as examples. */
type Examples = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;

/** A body with examples, for documentation. */
export function withExamples<T extends TSchema>(schema: T, examples: Examples): T {
  return { ...schema, 'x-examples': examples };
}

/** A response with its description and examples, for documentation. */
export function responseOf<T extends TSchema>(schema: T, description: string, examples?: Examples) {
  const shown = { ...schema, 'x-response-description': description };
  return examples === undefined ? shown : withExamples(shown, examples);
}

/** The only response of a route that serves text, for documentation. */
export const textResponse = (mediaType: string, description: string) => ({
  produces: [mediaType],
  response: { 200: responseOf(Type.String({ description: 'Readable text.' }), description) },
});

const ANY_REQUEST: readonly ProblemCode[] = [
  'MalformedRequest',
  'RequestTimeout',
  'ExpectationFailed',
  'HeadersTooLarge',
  'InternalError',
];
const ANY_BODY = ['MalformedJson', 'PayloadTooLarge', 'UnsupportedMediaType'] as const;

const requestId = (description: string) => ({
  [REQUEST_ID_HEADER]: Type.String({ description }),
});
const SENT_ID = requestId(
  'Names the exchange in the response and in logs, if it is 1 to 128 visible ASCII characters. Otherwise, a new id does.',
);
const RETURNED_ID = requestId('Names the exchange: the id of the request, or a new one.');

/** Adds what all routes have. An open one takes no token, and a probe is never overloaded. */
export function describeRoute(
  schema: FastifySchema,
  { open, probe }: { open: boolean; probe: boolean },
): FastifySchema {
  const { problems = [], requestHeaders, response, ...rest } = schema;
  const { 200: success } = response as Readonly<Record<number, TSchema>>;
  const codes: ProblemCode[] = [...ANY_REQUEST];
  if (schema.body !== undefined) codes.push(...ANY_BODY);
  if (!probe) codes.push('Overloaded');
  if (!open) codes.push('Unauthorized');
  return {
    tags: [SERVICE_TAG],
    ...rest,
    ...(open && { security: [] }),
    headers: Type.Partial(Type.Object({ ...SENT_ID, ...requestHeaders })),
    response: {
      200: { ...success, headers: RETURNED_ID },
      ...problemResponses([...codes, ...problems]),
    },
  };
}

const CHALLENGE = Type.String({ description: 'The scheme to use: `Bearer`.' });
const RETRY_AFTER = Type.Integer({
  minimum: 1,
  description: 'Seconds to wait before the request is sent again.',
});

/** One response per status, with an example of each of these problems. */
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
