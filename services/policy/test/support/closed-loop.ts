import http from 'node:http';
import { text } from 'node:stream/consumers';

const HEADERS = { 'content-type': 'application/json' };

interface Answer {
  readonly status: number | undefined;
  readonly connection: string | undefined;
}

/** Result of a client that sent many requests over one connection. */
export interface LoopReport {
  /** Number of replies by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Reason for stopping: the reply said `connection: close`, or the connection failed. */
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
 * Sends checks one after another until a reply says `connection: close`. `answered` is called
 * after each reply and may pause.
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
