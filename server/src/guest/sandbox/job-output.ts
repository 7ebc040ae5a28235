import type { Readable } from 'node:stream';

/** Of one line, and of what is kept of all of them: an installer writes code of strangers' words. */
const LINE_CHARS = 8 * 1024;
const KEPT_CHARS = 1024 * 1024;

/** Calls back with each line that a job writes, cut; a line that never ends is one of many. */
export function readJobLines(source: Readable, onLine: (line: string) => void): void {
  let rest = '';
  source.setEncoding('utf8');
  source.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line.replace(/\r$/, '').slice(0, LINE_CHARS));
    // What is behind the part that is shown is not gathered.
    rest = rest.slice(0, LINE_CHARS);
  });
  source.on('end', () => {
    if (rest !== '') onLine(rest);
  });
  source.on('error', () => undefined); // the job is gone, which is told elsewhere
}

/** The first lines of a job, as many as are kept. */
export class KeptLines {
  readonly #lines: string[] = [];
  #chars = 0;

  add(line: string): void {
    this.#chars += line.length + 1;
    if (this.#chars <= KEPT_CHARS) this.#lines.push(line);
  }

  text(): string {
    return this.#lines.join('\n');
  }
}
