/*
 * The service's process is a utility process of Electron, so that
 * its end, also by a signal or in a native module, leaves the window open to show it; every start gets a fresh Temporal
 * runtime, of which a process has one; and SQLite, workflow tasks and JSON are not main's. With 16 streamed runs at
 * once main's event loop was delayed by 19 ms (p99) on a machine that eight others kept busy. Only
 * `service-host.ts` knows that; everything else uses `service/messages.ts`.
 *
 * What it serves. The compiled server package and the engine are files in `.cache/desktop` (`npm run
 * build:desktop`), and in the same layout next to a packaged application, which also has the packages that the server
 * loads, with the files of one platform. It gets loopback, a random port, the sandbox of its settings (none by
 * default), test mode, the community licence, 50 checkpoints of history, and external storage; its data is in the
 * profile, one folder for each agent folder, apart from that of `service serve`.
 */
// The only file that knows in which process the service runs: a separate one, so that neither its load nor its end
// affects the window.
import { createInterface } from 'node:readline';
import { utilityProcess } from 'electron';
import type { FromService, ToService } from '../service/messages.ts';

/** A process that serves, or is about to. */
export interface ServiceLink {
  readonly pid: number | undefined;
  post(message: ToService): void;
  onMessage(listener: (message: FromService) => void): void;
  /** Its stdout and stderr: the last output of a crash. */
  onOutput(listener: (line: string) => void): void;
  /** The exit code. Never rejects. */
  readonly ended: Promise<number>;
  /** Ends it at once; its engine and guests notice and end too. */
  kill(): void;
}

/** Starts the process; the service in it starts with the first message. */
export type ServiceHost = () => ServiceLink;

/** Runs services from this entry, each in its own process. */
export function hostServices(entry: string): ServiceHost {
  return () => {
    const child = utilityProcess.fork(entry, [], {
      serviceName: 'Agent Runtime service',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = new Promise<number>((resolve) => child.once('exit', resolve));
    return {
      get pid() {
        return child.pid;
      },
      post: (message) => child.postMessage(message),
      // Only this application's own entry has the other end, and it is built from the same file.
      onMessage: (listener) => void child.on('message', (data) => listener(data as FromService)),
      onOutput(listener) {
        for (const stream of [child.stdout, child.stderr]) {
          if (stream) createInterface({ input: stream }).on('line', listener);
        }
      },
      ended,
      kill() {
        if (child.pid === undefined) return;
        try {
          process.kill(child.pid, 'SIGKILL');
        } catch {
          // It has ended already.
        }
      },
    };
  };
}
