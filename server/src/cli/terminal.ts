import { createInterface } from 'node:readline/promises';
import type { LicenseTerminal } from '../license/obtain-license.ts';
import { missingLicense } from '../license/verify-license.ts';

/** Where a command writes: results to `out`, everything a person is told to `progress`. */
export interface CommandOutput {
  out: (line: string) => void;
  progress: (line: string) => void;
}

/** Writes results to standard output and progress to standard error. */
export const processOutput: CommandOutput = {
  out: (line) => void process.stdout.write(`${line}\n`),
  progress: (line) => void process.stderr.write(`${line}\n`),
};

/** Lets the process outlive whoever read its output: a closed pipe or terminal is no reason to stop. */
export function surviveLostOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

/** The person at the terminal; undefined in headless use. */
export function processTerminal(): LicenseTerminal | undefined {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  return { ask, say: (sentence) => processOutput.progress(sentence) };
}

async function ask(question: string): Promise<string> {
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    // End of input (Ctrl+D) and Ctrl+C would otherwise leave the question open for ever.
    const closed = new Promise<never>((_, reject) => {
      reader.once('close', () => reject(missingLicense()));
    });
    return await Promise.race([reader.question(question), closed]);
  } finally {
    reader.close();
  }
}
