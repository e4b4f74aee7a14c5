import { PROBLEM_MEDIA_TYPE, PROBLEMS, Problem, type ProblemCode } from '@gatehouse/contracts';
import { Type } from '@sinclair/typebox';
import { exampleProblem } from '../problems/problem-pages.ts';
import { returnedId } from './headers.ts';

const RETRY_AFTER = {
  'retry-after': Type.Integer({
    minimum: 1,
    description: 'Seconds to wait before the request is sent again.',
  }),
};

/** Headers that an answer has because of its problem. */
const HEADERS: Partial<Record<ProblemCode, object>> = {
  Unauthorized: {
    'www-authenticate': Type.String({ description: 'The scheme to use: `Bearer`.' }),
  },
  TooManyRequests: RETRY_AFTER,
  Overloaded: RETRY_AFTER,
  NotReady: RETRY_AFTER,
};

/** One response per status, with an example of each of these problems. */
export function problemResponses(codes: readonly ProblemCode[]) {
  const byStatus = Map.groupBy(codes, (code) => PROBLEMS[code].status);
  return Object.fromEntries([...byStatus].map(([status, group]) => [status, responseOf(group)]));
}

function responseOf(codes: readonly ProblemCode[]) {
  const examples = codes.map((code) => [
    code,
    { summary: PROBLEMS[code].title, value: exampleProblem(code) },
  ]);
  return {
    description: codes
      .map((code) => `\`${code}\`: ${PROBLEMS[code].meaning} ${PROBLEMS[code].remedy}`)
      .join('\n\n'),
    headers: Object.assign({}, returnedId, ...codes.map((code) => HEADERS[code])),
    content: { [PROBLEM_MEDIA_TYPE]: { schema: Problem, examples: Object.fromEntries(examples) } },
  };
}
