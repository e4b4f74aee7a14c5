import http from 'node:http';
import { text } from 'node:stream/consumers';

const HEADERS = { 'content-type': 'application/json' };

interface Answer {
  readonly status: number | undefined;
  readonly connection: string | undefined;
}

/** What became of a client that asked again and again over one connection. */
export interface LoopReport {
  /** Answers by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Why it stopped: it was told to close the connection, or the connection failed. */
  readonly end: 'told to close' | Error;
}

function ask(url: string, agent: http.Agent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = http.request(
      `${url}/policy/check`,
      { method: 'POST', agent, headers: HEADERS },
      (response) => {
        const { statusCode: status, headers } = response;
        text(response).then(() => resolve({ status, connection: headers.connection }), reject);
      },
    );
    request.on('error', reject).end('{}');
  });
}

/**
 * Sends one check after the other until an answer says `connection: close`, after which
 * nothing more is sent. Told of each answer, `answered` may let the connection rest.
 */
export async function checkUntilClosed(
  url: string,
  answered: () => Promise<void> | void = () => {},
): Promise<LoopReport> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const statuses: Record<string, number> = {};
  try {
    while (true) {
      const { status, connection } = await ask(url, agent);
      statuses[`${status}`] = (statuses[`${status}`] ?? 0) + 1;
      if (connection === 'close') return { statuses, end: 'told to close' };
      await answered();
    }
  } catch (error) {
    return { statuses, end: error as Error };
  } finally {
    agent.destroy();
  }
}
