import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const body = JSON.stringify({
  id: 7,
  name: 'Desk',
  price: 24_900,
  tags: ['oak', 'office'],
  stock: { berlin: 3, paris: 0 },
});

/** What is called through the servers under test: a small JSON document, at once. */
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
});
server.listen(0, '127.0.0.1', () =>
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
