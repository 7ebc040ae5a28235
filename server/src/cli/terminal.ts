import { createInterface } from 'node:readline/promises';

/** Where a command writes: results to `out`, everything a person is told to `progress`. */
export interface CommandOutput {
  out: (line: string) => void;
  progress: (line: string) => void;
}

/** The person at the terminal. */
export interface Terminal {
  /** Undefined: closed without an answer (Ctrl+C, Ctrl+D). */
  ask(question: string): Promise<string | undefined>;
  say(sentence: string): void;
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
export function processTerminal(): Terminal | undefined {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  return { ask, say: (sentence) => processOutput.progress(sentence) };
}

async function ask(question: string): Promise<string | undefined> {
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    // End of input (Ctrl+D) and Ctrl+C would otherwise leave the question open for ever.
    const closed = new Promise<undefined>((resolve) => {
      reader.once('close', () => resolve(undefined));
    });
    return await Promise.race([reader.question(question), closed]);
  } finally {
    reader.close();
  }
}
