import { LOAD_CORE, pinLoad, SERVER_CORE } from './support/cores.ts';
import { ACCEPTED, ACCEPTING_PATH, DOCUMENTS } from './support/documents.ts';
import { type Contest, race } from './support/race.ts';
import { report } from './support/report.ts';
import { CREDENTIAL, NEW_ORDER, ORDER_SCHEMA } from './support/requests.ts';
import { startService, startSubject } from './support/subject.ts';
import { startUpstream } from './support/upstream.ts';

// Compares the speed of `POST /execute` with that of two handwritten servers: a bare proxy, and the
// proxy that an engineer writes in an afternoon. Pass a word such as `schema` to run only the
// comparisons whose names contain that word. The environment variables `STARTS`, `ROUNDS` and
// `SECONDS` override the defaults.
pinLoad();
await using upstream = await startUpstream(LOAD_CORE);

function lane(name: string, path: string, action: object, more: Partial<Contest> = {}): Contest {
  const url = `${upstream.url}${path}`;
  const sent: { body?: unknown } = action;
  return {
    name,
    path: '/execute',
    body: { method: sent.body === undefined ? 'GET' : 'POST', url, ...action },
    answer: {
      outcome: 'success',
      status: 200,
      body: JSON.parse(DOCUMENTS[path] ?? ACCEPTED),
      attempts: 1,
      history: [],
    },
    start: {
      bare: () => startSubject('bare-executor.ts', { core: SERVER_CORE }),
      byHand: () => startSubject('executor-by-hand.ts', { core: SERVER_CORE }),
      ours: () => startService('executor'),
    },
    ceiling: { url, ...(sent.body === undefined ? {} : { body: JSON.stringify(sent.body) }) },
    ...more,
  };
}

const headers = CREDENTIAL;
const withSchema = { headers, response_schema: ORDER_SCHEMA };
const lanes = [
  lane('credential, 1.2 KB', '/order', { headers }, { alone: true, mostTimesBare: 1.6 }),
  lane('no credential, 1.2 KB', '/order', {}, { alone: true, mostTimesBare: 1.4 }),
  lane('credential and schema, 1.2 KB', '/order', withSchema, { mostTimesBare: 1.7 }),
  lane('credential, POST', ACCEPTING_PATH, { headers, body: NEW_ORDER }),
  lane('credential, 100 KB', '/orders-100kb', { headers }),
  lane('credential, 5 MB', '/orders-5mb', { headers }, { connections: 2, patience: 3 }),
];
report(await race(lanes, process.argv[2]), upstream.program);
