import { writeFile } from 'node:fs/promises';

import { ServiceError } from '../../errors/service-error.ts';
import { type OpenEgress, withEgress } from '../egress/program-egress.ts';
import { type GuestPaths, makeGuestDirectory } from '../process/guest-directory.ts';
import type { GuestProgram } from '../pool/guest-program.ts';
import { KeptLines, readJobLines } from './job-output.ts';
import type { Sandbox } from './port.ts';

/** From the stop of a job until it is killed. */
const STOP_GRACE_MS = 1_000;

export interface JobOptions {
  signal: AbortSignal;
  /** Called with its output, line by line. */
  onLine?: (line: string) => void;
  /** Opens its proxy to the network, for which its program must start the forwarder. Absent: the sandbox's network. */
  egress?: OpenEgress;
}

/**
 * Runs a program that ends by itself, such as an installer, in a sandbox, and resolves with its stdout. Rejects with an
 * Error that has the last line of its stderr.
 */
export async function runInSandbox(
  sandbox: Sandbox,
  program: GuestProgram,
  { signal, onLine, egress }: JobOptions,
): Promise<string> {
  const directory = await makeGuestDirectory();
  let proxy: Awaited<ReturnType<OpenEgress>> | undefined;
  try {
    proxy = await egress?.(directory.egressSocket, () => []);
    const started = proxy ? throughProxy(program, sandbox.pathsOf(directory)) : program;
    await writeFile(directory.configFile, JSON.stringify(started.config), { mode: 0o600 });
    signal.throwIfAborted();
    const child = await sandbox.start({ program: started, directory }, signal);
    const stop = (): void => void child.kill();
    signal.addEventListener('abort', stop, { once: true });
    try {
      const output = new KeptLines();
      let lastWords = '';
      readJobLines(child.stdout, (line) => {
        output.add(line);
        onLine?.(line);
      });
      readJobLines(child.stderr, (line) => {
        if (line.trim() !== '') lastWords = line.trim();
        onLine?.(line);
      });
      const how = await child.gone;
      await child.drained;
      if (signal.aborted) throw new ServiceError('guest_unavailable', 'The service is stopping.');
      if (how !== 'exited with code 0') throw new Error(lastWords || `${program.command} ${how}`);
      return output.text();
    } finally {
      signal.removeEventListener('abort', stop);
      await child.stop(STOP_GRACE_MS);
    }
  } finally {
    await proxy?.close();
    await directory.remove();
  }
}

/** Uses the proxy for loopback too: an index may be on this machine's loopback, and the job itself serves nothing. */
function throughProxy(program: GuestProgram, paths: GuestPaths): GuestProgram {
  const { environment, ...others } = withEgress(program, paths);
  return { ...others, environment: { ...environment, NO_PROXY: '', no_proxy: '' } };
}
