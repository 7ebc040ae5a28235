import { createInterface } from 'node:readline/promises';

/** The output of a command: results to `out`, messages for the user to `progress`. */
export interface CommandOutput {
  out: (line: string) => void;
  progress: (line: string) => void;
}

/** Dialogue with the user at the terminal. */
export interface Terminal {
  /** Undefined: closed without a reply (Ctrl+C, Ctrl+D). */
  ask(question: string): Promise<string | undefined>;
  say(sentence: string): void;
}

/** Writes results to standard output and progress to standard error. */
export const processOutput: CommandOutput = {
  out: (line) => void process.stdout.write(`${line}\n`),
  progress: (line) => void process.stderr.write(`${line}\n`),
};

/** Ignores errors of closed output: a closed pipe or terminal must not stop the process. */
export function surviveLostOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

/** The user's terminal; undefined in headless use. */
export function processTerminal(): Terminal | undefined {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  return { ask, say: (sentence) => processOutput.progress(sentence) };
}

async function ask(question: string): Promise<string | undefined> {
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    // Otherwise the end of input (Ctrl+D) and Ctrl+C would leave the question pending forever.
    const closed = new Promise<undefined>((resolve) => {
      reader.once('close', () => resolve(undefined));
    });
    return await Promise.race([reader.question(question), closed]);
  } finally {
    reader.close();
  }
}
