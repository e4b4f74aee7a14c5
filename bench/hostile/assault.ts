import { type Attack, type Blow, RESPONSE_LIMIT, type Scene } from './attack.ts';
import { type Answer, post } from './client.ts';
import { range } from './shapes.ts';
import { reply } from './upstream.ts';

type Action = Readonly<Record<string, unknown>>;

/** Has an action executed; a POST to the upstream, unless it says otherwise. */
export const execute = (scene: Scene, action: Action = {}): Promise<Answer> =>
  post(`${scene.url}/execute`, bytesOf(scene, action));

interface Asking {
  readonly name: string;
  readonly finding?: string | undefined;
  /** Members of the action, or all of its text; of the first, the second … of many. */
  readonly action: (scene: Scene, n: number) => Action | Buffer | string;
  /** Whether each of many is another one. */
  readonly distinct?: boolean;
  /** How many at once. */
  readonly times?: number;
}

/** A hostile action; the upstream is harmless. */
export function asking({ name, finding, action, times = 1, distinct = false }: Asking): Attack {
  return {
    name,
    finding,
    atOnce: times,
    prepare: (scene) => {
      const first = bytesOf(scene, action(scene, 0));
      const requests = range(times, (n) => (distinct ? bytesOf(scene, action(scene, n)) : first));
      return async () => ({
        answers: await Promise.all(requests.map((each) => post(`${scene.url}/execute`, each))),
      });
    },
  };
}

interface Answering {
  readonly name: string;
  readonly finding?: string | undefined;
  /** The body that the upstream answers with, and what of it is sent. */
  readonly body: () => Buffer;
  readonly encode?: (body: Buffer) => Buffer;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly action?: Action;
  readonly times?: number;
  readonly variant?: boolean;
}

/** A hostile answer to an ordinary action, which is a POST so that it is sent once. */
export function answering(answer: Answering): Attack {
  const { name, finding, variant = false, body, encode = (bytes) => bytes } = answer;
  const { status = 200, headers = {}, action = {}, times = 1 } = answer;
  return {
    name,
    finding,
    variant,
    atOnce: times,
    inFlightBytes: times * RESPONSE_LIMIT,
    prepare: (scene) => {
      const decoded = body();
      const bytes = reply({ status, headers, body: encode(decoded) });
      scene.upstream.answer(() => bytes);
      const request = bytesOf(scene, action);
      return async (): Promise<Blow> => ({
        answers: await Promise.all(range(times, () => post(`${scene.url}/execute`, request))),
        responseBytes: Math.min(decoded.length, RESPONSE_LIMIT),
      });
    },
  };
}

function bytesOf({ upstream }: Scene, action: Action | Buffer | string): Buffer {
  if (Buffer.isBuffer(action)) return action;
  if (typeof action === 'string') return Buffer.from(action);
  return Buffer.from(JSON.stringify({ method: 'POST', url: upstream.origin, ...action }));
}
