import { SERVICE_PATHS } from '@gatehouse/contracts';
import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import { ProblemError } from '../problems/problem.ts';
import { pathOf } from '../request/path.ts';

/** Each has an index, which is all that a caller need know of. */
const INDEXED = [`${SERVICE_PATHS.problems}/`, `${SERVICE_PATHS.docs}/`];

/** Refuses a wrong method with 405 and `Allow`, a wrong path with 404. */
export function refuseUnknownPaths(app: FastifyInstance): onRequestHookHandler {
  const methodsByPath = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const methods = methodsByPath.get(url) ?? new Set();
    for (const each of [method].flat()) methods.add(each);
    methodsByPath.set(url, methods);
  });
  const methodsAt = (path: string) =>
    methodsByPath.get(path.startsWith(`${SERVICE_PATHS.docs}/`) ? `${SERVICE_PATHS.docs}/*` : path);
  const notFound = () => {
    const paths = [...methodsByPath.keys()];
    const shown = paths.filter((path) => !INDEXED.some((index) => path.startsWith(index)));
    const detail = `Use one of the paths of this service: ${shown.join(', ')}.`;
    return new ProblemError('NotFound', detail);
  };
  // For routes that look for a file, and do not find it.
  app.setNotFoundHandler(() => {
    throw notFound();
  });
  return (request, reply, done) => {
    if (!request.is404) return done();
    const methods = methodsAt(pathOf(request.url));
    if (methods === undefined) return done(notFound());
    const allowed = [...methods].join(', ');
    reply.header('allow', allowed);
    done(new ProblemError('MethodNotAllowed', `Use ${allowed} for this path.`));
  };
}
