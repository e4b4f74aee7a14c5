import { Socket } from 'node:net';

/** A network that swallows a request: what the system says then, minutes later, is said at once. */
const write = Socket.prototype.write as (this: Socket, ...args: unknown[]) => boolean;
const LOST = /^POST \/lost /;
const AFTER_MS = 50;

function losing(this: Socket, ...args: unknown[]): boolean {
  if (LOST.test(String(args[0]))) {
    const error = Object.assign(new Error('read ETIMEDOUT'), {
      code: 'ETIMEDOUT',
      errno: -110,
      syscall: 'read',
    });
    setTimeout(() => this.destroy(error), AFTER_MS);
  }
  return write.apply(this, args);
}
Object.assign(Socket.prototype, { write: losing });
