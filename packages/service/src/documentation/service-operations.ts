import { Health, PROBLEM_CODES, problemType, SERVICE_PATHS } from '@gatehouse/contracts';
import { Type } from '@sinclair/typebox';
import type { Operation } from './operation.ts';

export const SERVICE_TAG = {
  name: 'service',
  description: 'Health, metrics and documentation.',
};

const OK = { ok: { summary: 'Fine', value: { status: 'ok' } } };

const Page = Type.String({ description: 'Readable text.' });

const PAGES = [{ description: 'A page.', mediaType: 'text/html', schema: Page }];

const problemPage: Operation = {
  operationId: 'getProblem',
  tag: SERVICE_TAG.name,
  path: `${SERVICE_PATHS.problems}/:code`,
  summary: 'Read about a problem',
  description:
    'The page to which the `type` of a problem leads: what happened, what to do, and an example.',
  params: Type.Object({
    code: Type.Unsafe<string>({
      type: 'string',
      enum: PROBLEM_CODES.map((code) => problemType(code).slice(SERVICE_PATHS.problems.length + 1)),
      description: 'The last part of the `type` of a problem.',
    }),
  }),
  answers: PAGES,
  problems: ['NotFound', 'MalformedUrl'],
};

/** What every service serves besides its own operations, by path. */
export const SERVICE_OPERATIONS: Readonly<Record<string, Operation>> = {
  [SERVICE_PATHS.health]: {
    operationId: 'getHealth',
    tag: SERVICE_TAG.name,
    summary: 'Ask whether the process lives',
    description:
      'Liveness, for container checks: 200 while the process answers at all. Takes no token.',
    always: true,
    answers: [{ description: 'It lives.', schema: Health, examples: OK }],
  },
  [SERVICE_PATHS.ready]: {
    operationId: 'getReadiness',
    tag: SERVICE_TAG.name,
    summary: 'Ask whether to send requests here',
    description:
      'Readiness, for load balancers: 503 while the service starts or shuts down. Takes no token.',
    always: true,
    answers: [{ description: 'It is ready.', schema: Health, examples: OK }],
    problems: ['NotReady'],
  },
  [SERVICE_PATHS.metrics]: {
    operationId: 'getMetrics',
    tag: SERVICE_TAG.name,
    summary: 'Get the metrics',
    description:
      'All counters, durations and gauges of this process in the Prometheus text format, for a scrape.',
    answers: [{ description: 'Prometheus text.', mediaType: 'text/plain', schema: Page }],
  },
  [SERVICE_PATHS.openapi]: {
    operationId: 'getOpenapi',
    tag: SERVICE_TAG.name,
    summary: 'Get this document',
    description:
      'The OpenAPI 3.1 description of this service, made from the schemas that it validates with.',
    answers: [
      { description: 'An OpenAPI document.', schema: Type.Object({ openapi: Type.String() }) },
    ],
  },
  [SERVICE_PATHS.docs]: {
    operationId: 'getDocs',
    tag: SERVICE_TAG.name,
    path: SERVICE_PATHS.docs,
    summary: 'Open the interactive documentation',
    description:
      'A page that shows this document and sends requests. It loads nothing from anywhere else.',
    answers: [{ description: 'A page for browsers.', mediaType: 'text/html', schema: Page }],
  },
  [SERVICE_PATHS.problems]: {
    operationId: 'listProblems',
    tag: SERVICE_TAG.name,
    summary: 'List all problems',
    description: 'An index of the pages about problems.',
    answers: PAGES,
  },
  ...Object.fromEntries(PROBLEM_CODES.map((code) => [problemType(code), problemPage])),
};
