import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** About what a service elsewhere takes. */
const ANSWER_MS = 20;

const server = createServer((_request, response) => {
  setTimeout(
    () => response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":7}'),
    ANSWER_MS,
  );
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 2_048 }, () =>
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
