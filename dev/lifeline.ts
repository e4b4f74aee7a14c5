// Preloaded into every child process: when the program that started it is gone, however that ended, the channel
// between the two closes, and the child ends as if it had been told to.

process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
