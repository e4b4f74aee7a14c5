import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** Lists the tools of an MCP server over stdio. The server must then exit with 0. */
export async function toolsOf(
  command: string,
  env: Readonly<Record<string, string>>,
): Promise<string[]> {
  const server = spawn(command, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const say = (message: object) =>
    server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'test', version: '1.0.0' };
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  say({ id: 1, method: 'initialize', params });
  try {
    for await (const line of createInterface(server.stdout)) {
      const { id, result } = JSON.parse(line);
      if (id === 2) {
        const ended = once(server, 'close');
        server.stdin.end();
        const [code] = await ended;
        if (code !== 0) throw new Error(`The MCP server ended with ${code}.`);
        return result.tools.map(({ name }: { name: string }) => name);
      }
      say({ method: 'notifications/initialized' });
      say({ id: 2, method: 'tools/list' });
    }
    throw new Error('The MCP server ended without an answer.');
  } finally {
    server.kill();
  }
}
