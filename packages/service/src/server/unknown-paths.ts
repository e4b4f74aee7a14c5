import { SERVICE_PATHS } from '@gatehouse/contracts';
import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import { ProblemError } from '../problems/problem-error.ts';
import { pathOf } from '../request/path.ts';

/** Folders of pages that have an index. */
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
  const notFound = () => new ProblemError('NotFound', hint(methodsByPath));
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

/** Leads a browser that asks for `/` to the documentation, where there is one. */
export function leadBrowsers(app: FastifyInstance): onRequestHookHandler {
  const { docs } = SERVICE_PATHS;
  return ({ url, method, headers }, reply, done) => {
    const leads =
      url === '/' &&
      method === 'GET' &&
      headers.accept?.includes('text/html') === true &&
      app.hasRoute({ method, url: docs });
    if (!leads) return done();
    // Other clients get a 404, or a 401, at this path.
    reply.header('cache-control', 'no-store').redirect(docs, 303);
  };
}

/** Names every path except the pages below an index. */
function hint(known: ReadonlyMap<string, unknown>): string {
  const shown = [...known.keys()].filter(
    (path) => !path.endsWith('*') && !INDEXED.some((index) => path.startsWith(index)),
  );
  return `Use one of the paths of this service: ${shown.join(', ')}.`;
}
