import type { Readable } from 'node:stream';

/** What npm says around its reason: codes, paths, stacks and where its log is. */
const ASIDE =
  /^$|^(code|syscall|path|errno|command|dest|signal)\b|^at |^A complete log|^[{}]|^\w+: .*,$/;

/**
 * Why an npm that failed did so, in its own words; undefined where it said nothing of the kind, and the last line tells
 * most (pip). npm ends with the place of a log file, which nobody outside of the sandbox has.
 */
export function installerReason(lines: readonly string[]): string | undefined {
  const words = lines.flatMap((line) => {
    const [, code, text] = /^npm (?:error|ERR!)(?: (code [A-Z]\w*))?(.*)$/.exec(line) ?? [];
    return text === undefined ? [] : [(code ?? text).trim()];
  });
  const code = words.find((word) => word.startsWith('code '))?.slice('code '.length);
  const prefix = code?.replace(/^E/, '').toLowerCase();
  const of = (word: string): string => {
    const bare = [code?.toLowerCase(), prefix].find((one) => one && word.startsWith(`${one} `));
    return bare === undefined ? word : word.slice(bare.length + 1);
  };
  const from = words.findIndex((word) => word.startsWith('code '));
  return words
    .slice(from + 1)
    .map(of)
    .find((word) => !ASIDE.test(word) && word !== 'command failed');
}

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
