import { Type } from '@sinclair/typebox';
import { REQUEST_ID_HEADER, REQUEST_ID_PATTERN } from '../request/request-id.ts';

const requestId = (description: string) =>
  Type.String({ pattern: REQUEST_ID_PATTERN, description });

/** `x-request-id` of a request. */
export const sentId = {
  [REQUEST_ID_HEADER]: requestId(
    'Names the exchange in the answer and in logs: 1 to 128 visible ASCII characters. Without one, or with another text, one is made.',
  ),
};

/** `x-request-id` of an answer. */
export const returnedId = {
  [REQUEST_ID_HEADER]: requestId('Names the exchange: that of the request, or a new one.'),
};

/** The W3C trace context of a request, where it is passed on. */
export const traceHeaderSchemas = {
  traceparent: Type.String({ description: 'W3C trace context, passed on to the upstream.' }),
  tracestate: Type.String({ description: 'Belongs to `traceparent`, and is passed on with it.' }),
};
