import { SERVICE_PATHS } from '@gatehouse/contracts';
import type { FastifyInstance } from 'fastify';
import { ProblemError } from '../problems/problem.ts';

/** The part of a request target that may be logged or compared: without its query. */
export function pathOf(url: string): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}

/** Pages under an index and what a page loads; nobody looks for those. */
function isPartOfAnother(path: string): boolean {
  return [SERVICE_PATHS.problems, SERVICE_PATHS.docs].some((index) => path.startsWith(`${index}/`));
}

/**
 * Answers 405 with `Allow` where only the method is wrong, else 404. Call before any
 * route is registered.
 */
export function answerUnknownPaths(app: FastifyInstance): void {
  const methodsByPath = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const methods = methodsByPath.get(url) ?? new Set();
    for (const each of [method].flat()) methods.add(each);
    methodsByPath.set(url, methods);
  });
  const notFound = () => {
    const known = [...methodsByPath.keys()].filter((path) => !isPartOfAnother(path)).join(', ');
    return new ProblemError('NotFound', `Use one of the paths of this service: ${known}.`);
  };
  // In the first hook, so that the path is judged before the body, whatever that is.
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done();
    const methods = methodsByPath.get(pathOf(request.url));
    if (methods === undefined) return done(notFound());
    const allowed = [...methods].join(', ');
    reply.header('allow', allowed);
    done(new ProblemError('MethodNotAllowed', `Use ${allowed} for this path.`));
  });
  // For routes that look further themselves, such as one for all files of a folder.
  app.setNotFoundHandler(() => {
    throw notFound();
  });
}
