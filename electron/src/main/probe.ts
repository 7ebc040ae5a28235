import { execFile } from 'node:child_process';
import { createServer } from 'node:net';

const limitMs = 8_000;

/** The output of a program; undefined when it is missing, fails or takes too long. */
export function outputOf(program: string, ...args: string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: limitMs, windowsHide: true }, (error, stdout, stderr) => {
      const output = `${stdout}${stderr}`.trim();
      resolve(error === null && output !== '' ? output : undefined);
    });
  });
}

/** Whether a port of the loopback interface is free now. */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** Whether "Python 3.12.1" or "v22.18.0" is at least this version. */
export function isAtLeast(
  output: string,
  wanted: readonly [major: number, minor: number],
): boolean {
  const [, major = '0', minor = '0'] = /(\d+)\.(\d+)/.exec(output) ?? [];
  const difference = Number(major) - wanted[0] || Number(minor) - wanted[1];
  return difference >= 0;
}
