// The entry of the process that runs the service (a utility process of Electron).
import { runService } from './run-service.ts';
import type { ToService } from './messages.ts';

const { parentPort } = process;
runService(
  {
    post: (message) => parentPort.postMessage(message),
    // Only main has the other end, and it is built from the same file.
    onMessage: (listener) =>
      void parentPort.on('message', ({ data }) => listener(data as ToService)),
  },
  { environment: process.env, exit: (code) => process.exit(code) },
);
// Without the desktop no client can reach the service or stop it.
parentPort.on('close' as 'message', () => process.exit(1));
