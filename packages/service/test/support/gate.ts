import type { Server } from '../../src/index.ts';

/**
 * Creates a route `/work` that answers only after `open` is called, and a route `/free` that
 * answers at once. `entered` returns the number of requests to `/work`.
 */
export function gate() {
  const open = Promise.withResolvers<void>();
  let entered = 0;
  const work = async () => {
    const number = ++entered;
    await open.promise;
    return { number };
  };
  const route = (app: Server) => {
    app.route({ method: ['GET', 'POST'], url: '/work', handler: work });
    app.get('/free', () => ({}));
  };
  return { open: open.resolve, entered: () => entered, route };
}
