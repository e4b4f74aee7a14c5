import { SERVICE_PATHS } from '@gatehouse/contracts';
import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import { closestMatch } from 'leven';
import { ProblemError } from '../problems/problem-error.ts';
import { pathOf } from '../request/path.ts';

/** Each has an index, which is all that a caller need know of. */
const INDEXED = [`${SERVICE_PATHS.problems}/`, `${SERVICE_PATHS.docs}/`];

/** One typing error in four characters is likely; more than three are another path. */
const CHARACTERS_PER_ERROR = 4;
const MAX_ERRORS = 3;

/** INVARIANT: bounds what it costs to compare; no known path is half as long. */
const MAX_COMPARED = 64;

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
  const notFound = (url: string) => new ProblemError('NotFound', hint(pathOf(url), methodsByPath));
  // For routes that look for a file, and do not find it.
  app.setNotFoundHandler((request) => {
    throw notFound(request.url);
  });
  return (request, reply, done) => {
    if (!request.is404) return done();
    const methods = methodsAt(pathOf(request.url));
    if (methods === undefined) return done(notFound(request.url));
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

/** The known path that is nearest, and all that a caller need know of. */
function hint(path: string, known: ReadonlyMap<string, unknown>): string {
  const paths = [...known.keys()].filter((each) => !each.endsWith('*'));
  const shown = paths.filter((each) => !INDEXED.some((index) => each.startsWith(index)));
  const meant = path.length <= MAX_COMPARED ? nearest(path, paths) : undefined;
  const question = meant === undefined ? '' : `Did you mean \`${meant}\`? `;
  return `${question}Use one of the paths of this service: ${shown.join(', ')}.`;
}

/** The one that is spelt alike, else the only one that begins or ends like it. */
function nearest(path: string, paths: string[]): string | undefined {
  const bare = path.toLowerCase().replace(/\/+$/, '');
  if (bare === '') return undefined;
  const maxDistance = Math.min(MAX_ERRORS, Math.floor(bare.length / CHARACTERS_PER_ERROR));
  const alike = closestMatch(bare, paths, { maxDistance });
  if (alike !== undefined) return alike;
  const near = paths.filter(
    (each) => each.startsWith(bare) || each.endsWith(bare) || bare.endsWith(each),
  );
  return near.length === 1 ? near[0] : undefined;
}
