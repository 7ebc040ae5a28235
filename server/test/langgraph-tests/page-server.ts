import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { waitUntil } from '../fixtures/wait-until.ts';

/** A page of Next that is being served. */
export interface PageServer {
  readonly url: string;
  stop(): Promise<void>;
}

const START_LIMIT_MS = 60_000;

/** Serves what `next build` made in a folder, on that port of this machine. */
export async function startPage(folder: string, port: number): Promise<PageServer> {
  const next = path.join(folder, 'node_modules/next/dist/bin/next');
  const address = ['--hostname', '127.0.0.1', '--port', `${port}`];
  const child = spawn(process.execPath, [next, 'start', ...address], {
    cwd: folder,
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Processes of its own end with its group.
    detached: true,
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes: Buffer) => (text += bytes.toString()));
  }
  const url = `http://127.0.0.1:${port}`;
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.pid === undefined) return;
    const gone = once(child, 'exit');
    process.kill(-child.pid, 'SIGKILL');
    await gone;
  };
  try {
    await waitUntil('the page', START_LIMIT_MS, async () => {
      if (child.exitCode !== null) throw new Error(`It ended with ${child.exitCode}.`);
      const response = await fetch(url).catch(() => undefined);
      return response?.ok === true;
    });
  } catch (cause) {
    await stop();
    throw new Error(`The page did not start. Its output:\n${text}`, { cause });
  }
  return { url, stop };
}
