import { isatty } from 'node:tty';
import { Worker } from 'node:worker_threads';

/**
 * The host holds the other end of our stdin: its end of file means that the host has ended, in any way, and what
 * it writes there asks whether this process runs at all. Watched from a separate thread, because an agent in an
 * endless loop blocks ours and must die as well, and one that waits for a program (execSync) must not.
 */
const watch = `
const { writeSync } = require('node:fs');
const { Socket } = require('node:net');
const reportAlive = () => {
  try {
    writeSync(1, '\\x1e{"event":"alive"}\\n');
  } catch (error) {
    if (error.code === 'EAGAIN') setTimeout(reportAlive, 100); // until the host has read what is in the pipe
  }
};
const end = () => {
  try {
    process.kill(-process.pid, 'SIGKILL'); // with what the agents have started, when the group is ours
  } finally {
    process.kill(process.pid, 'SIGKILL');
  }
};
try {
  new Socket({ fd: 0, readable: true, writable: false }).on('end', end).on('error', end).on('close', end).on('data', reportAlive);
} catch {
  end(); // neither pipe nor socket (for example /dev/null): no process holds it
}
`;

/** Ends this process at once when the process that started it has ended. */
export function dieWithParent(): void {
  if (isatty(0)) return; // started by hand
  const worker = new Worker(watch, {
    eval: true,
    execArgv: [],
    env: {},
    stdin: false,
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 2 },
  });
  worker.unref();
}
