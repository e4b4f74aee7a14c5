import { type Static, Type } from '@sinclair/typebox';
import { ExplainedResponse } from './explanation.ts';
import { CheckRequest } from './policy.ts';
import { Problem } from './problem-document.ts';
import { ShownAs, StrictTitled } from './schema.ts';

const COUNT = { minItems: 1, maxItems: 100 };

/** Each check is validated by itself. */
const AnythingElse = Type.Unknown({
  title: 'AnythingElse',
  description: 'An entry that is not a `CheckRequest` gets a problem in its place.',
});

/** The body of `POST /policy/check/batch` (contract, section 2). */
export const BatchRequest = StrictTitled('BatchRequest', {
  checks: ShownAs(
    Type.Array(Type.Union([CheckRequest, AnythingElse]), {
      ...COUNT,
      description: 'Each judged by itself.',
    }),
    Type.Array(Type.Unknown(), COUNT),
  ),
});

/** The answers, in the order of the checks. */
export const BatchResponse = StrictTitled('BatchResponse', {
  results: Type.Array(Type.Union([ExplainedResponse, Problem]), {
    description: 'For each check what it alone would get: its decision, or its problem.',
  }),
});
export type BatchResponse = Static<typeof BatchResponse>;
