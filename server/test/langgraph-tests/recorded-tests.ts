import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';

/** Runs tests to their end, passed or failed; what they print goes to a file. */
export async function recordTests(
  command: string,
  words: readonly string[],
  { cwd, env, output }: { cwd: string; env: Record<string, string>; output: string },
): Promise<void> {
  const file = await open(output, 'w');
  try {
    const stdio = ['ignore', file.fd, file.fd] as const;
    await once(
      spawn(command, words, { cwd, env: { ...process.env, ...env }, stdio: [...stdio] }),
      'close',
    );
  } finally {
    await file.close();
  }
}
