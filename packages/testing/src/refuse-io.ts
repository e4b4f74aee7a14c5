import child_process, { ChildProcess } from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { Server, Socket } from 'node:net';

// In the fast tests, opening a port, opening a connection or starting a process throws an error.

const refuse = (what: string) => () => {
  throw new Error(`A fast test must not ${what}: name its file \`*.io.test.ts\`.`);
};

Server.prototype.listen = refuse('open a port');
Socket.prototype.connect = refuse('open a connection');
const start = refuse('start a process');
Object.assign(ChildProcess.prototype, { spawn: start });
Object.assign(child_process, { spawnSync: start, execFileSync: start, execSync: start });
syncBuiltinESMExports();
