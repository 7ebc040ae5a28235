import type { Readable } from 'node:stream';

/** Lines that npm prints around its reason: codes, paths, stacks and the path of its log. */
const ASIDE =
  /^$|^(code|syscall|path|errno|command|dest|signal)\b|^at |^A complete log|^[{}]|^\w+: .*,$/;

/**
 * The reason of a failed npm, in its own words; undefined if there is none, when the last line is the best reason
 * (pip). npm ends with the path of a log file, which does not exist outside of the sandbox.
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

/** Most characters of one line, and of all kept lines: an installer's output is untrusted. */
const LINE_CHARS = 8 * 1024;
const KEPT_CHARS = 1024 * 1024;

/** Calls back with each line that a job writes, cut to LINE_CHARS. */
export function readJobLines(source: Readable, onLine: (line: string) => void): void {
  let rest = '';
  source.setEncoding('utf8');
  source.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line.replace(/\r$/, '').slice(0, LINE_CHARS));
    // The part beyond LINE_CHARS is not buffered.
    rest = rest.slice(0, LINE_CHARS);
  });
  source.on('end', () => {
    if (rest !== '') onLine(rest);
  });
  source.on('error', () => undefined); // the job has exited, which is reported elsewhere
}

/** The first lines of a job, up to KEPT_CHARS. */
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
