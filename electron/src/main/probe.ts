import { execFile } from 'node:child_process';
import { createServer } from 'node:net';

const limitMs = 8_000;

/** What a program says to these words; undefined when it is missing, fails or takes too long. */
export function ask(program: string, ...words: string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(program, words, { timeout: limitMs, windowsHide: true }, (error, stdout, stderr) => {
      const said = `${stdout}${stderr}`.trim();
      resolve(error === null && said !== '' ? said : undefined);
    });
  });
}

/** Whether a port of the loopback interface can be had now. */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** Whether "Python 3.12.1" or "v22.18.0" is at least this version. */
export function isAtLeast(said: string, wanted: readonly [major: number, minor: number]): boolean {
  const [, major = '0', minor = '0'] = /(\d+)\.(\d+)/.exec(said) ?? [];
  const difference = Number(major) - wanted[0] || Number(minor) - wanted[1];
  return difference >= 0;
}
