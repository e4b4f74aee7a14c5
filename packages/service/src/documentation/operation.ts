import type { ProblemCode } from '@gatehouse/contracts';
import { type TSchema, Type } from '@sinclair/typebox';
import { returnedId, sentId } from './headers.ts';
import { problemResponses } from './problem-responses.ts';

/** A named document, shown as an example. */
export interface Example {
  readonly summary: string;
  readonly value: unknown;
}

/** An answer of an operation that is not a problem. */
export interface Answer {
  readonly description: string;
  /** `application/json` when omitted. */
  readonly mediaType?: string;
  readonly schema: TSchema;
  readonly examples?: Readonly<Record<string, Example>>;
}

/**
 * What people read about an operation; what programs read about it is in the schemas of
 * its route.
 */
export interface Operation {
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** Examples of the request body. */
  readonly requests?: Readonly<Record<string, Example>>;
  /** Request headers that mean something here, besides `x-request-id`. */
  readonly headers?: Readonly<Record<string, TSchema>>;
  /** In place of a route's own path parameters. */
  readonly params?: TSchema;
  /** By media type. */
  readonly answers: readonly Answer[];
  /** Problems besides those that any request or any body may meet. */
  readonly problems?: readonly ProblemCode[];
  /** Whether it answers without a token, and under any load. */
  readonly always?: boolean;
  /** The path to show, where the operation stands for several routes. */
  readonly path?: string;
}

/** The parts of a route's schema that are taken over as they are. */
interface RouteSchema {
  readonly body?: unknown;
  readonly querystring?: unknown;
}

const ANY_REQUEST: readonly ProblemCode[] = [
  'MalformedRequest',
  'RequestTimeout',
  'ExpectationFailed',
  'HeadersTooLarge',
  'InternalError',
];
const ANY_BODY: readonly ProblemCode[] = [
  'MalformedJson',
  'PayloadTooLarge',
  'UnsupportedMediaType',
];

/**
 * The route's schema with all that is known about the operation, as `@fastify/swagger`
 * reads it.
 */
export function describeOperation(
  operation: Operation,
  { body, querystring }: RouteSchema,
  authenticated: boolean,
) {
  const {
    operationId,
    tag,
    summary,
    description,
    requests,
    headers = {},
    params,
    always = false,
  } = operation;
  const codes = [
    ...ANY_REQUEST,
    ...(body === undefined ? [] : ANY_BODY),
    ...(always ? [] : (['Overloaded'] as const)),
    ...(authenticated && !always ? (['Unauthorized'] as const) : []),
    ...(operation.problems ?? []),
  ];
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    ...(always ? { security: [] } : {}),
    ...(body === undefined ? {} : { body: { ...body, 'x-examples': requests } }),
    ...(querystring === undefined ? {} : { querystring }),
    ...(params === undefined ? {} : { params }),
    headers: Type.Partial(Type.Object({ ...sentId, ...headers })),
    response: { 200: success(operation.answers), ...problemResponses(codes) },
  };
}

function success(answers: readonly Answer[]) {
  const content = answers.map(({ mediaType = 'application/json', schema, examples }) => [
    mediaType,
    { schema, ...(examples === undefined ? {} : { examples }) },
  ]);
  return {
    description: answers.map(({ description }) => description).join(' '),
    headers: returnedId,
    content: Object.fromEntries(content),
  };
}
