import { pinLoad, SERVER_CORE } from './support/cores.ts';
import { ACCEPTING_PATH } from './support/documents.ts';
import { type Contest, race } from './support/race.ts';
import { report } from './support/report.ts';
import { TYPICAL_CHECK, TYPICAL_DECISION } from './support/requests.ts';
import { startService, startSubject } from './support/subject.ts';
import { startUpstream } from './support/upstream.ts';

// Compares the speed of `POST /policy/check` with that of two handwritten servers: a route that
// returns a constant decision, and the service that an engineer writes in an afternoon.
// The environment variables `STARTS`, `ROUNDS` and `SECONDS` override the defaults.
pinLoad();
// Because this server only returns a constant response, its rate is the maximum that the load
// generator can reach. Like the servers under test, this server runs on `SERVER_CORE`.
await using quickest = await startUpstream(SERVER_CORE);

const check: Contest = {
  name: 'policy check',
  path: '/policy/check',
  body: TYPICAL_CHECK,
  answer: TYPICAL_DECISION,
  start: {
    bare: () => startSubject('bare-route.ts', { core: SERVER_CORE }),
    byHand: () => startSubject('policy-by-hand.ts', { core: SERVER_CORE }),
    ours: () => startService('policy'),
  },
  ceiling: { url: `${quickest.url}${ACCEPTING_PATH}`, body: JSON.stringify(TYPICAL_CHECK) },
  alone: true,
};
report(await race([check]), 'none');
