import { runContext } from './run-context.ts';

/** Longer lines are split, so that a line without an end cannot fill the host's memory. */
const maxLineLength = 64 * 1024;
const recordMark = '\x1e';

type StreamName = 'stdout' | 'stderr';
type Unfinished = Map<string, string>;

export interface OutputCapture {
  /** Writes a record of the guest itself on the real stdout. */
  event(name: string, fields?: { port: number }): void;
  /** Gives out what the run wrote since its last line end. */
  endRun(runId: string): void;
}

/** From now on, what agent code writes to stdout and stderr goes to the host line by line, with its run's id. */
export function captureOutput(): OutputCapture {
  const writeReal = process.stdout.write.bind(process.stdout);
  const emit = (record: object): void => {
    writeReal(`${recordMark}${JSON.stringify(record)}\n`);
  };
  const unfinished: Record<StreamName, Unfinished> = { stdout: new Map(), stderr: new Map() };

  const take = (stream: StreamName, text: string): void => {
    const runId = runContext.getStore()?.runId ?? '';
    const lines = ((unfinished[stream].get(runId) ?? '') + text).split('\n');
    let rest = lines.pop() ?? '';
    for (const line of lines) emitLine(emit, runId, stream, line);
    while (rest.length >= maxLineLength) {
      emit({ run_id: runId, stream, text: rest.slice(0, maxLineLength) });
      rest = rest.slice(maxLineLength);
    }
    if (rest === '') unfinished[stream].delete(runId);
    else unfinished[stream].set(runId, rest);
  };

  process.stdout.write = replaceWrite('stdout', take);
  process.stderr.write = replaceWrite('stderr', take);

  return {
    event: (name, fields) => emit({ event: name, ...fields }),
    endRun(runId) {
      for (const stream of ['stdout', 'stderr'] as const) {
        const rest = unfinished[stream].get(runId);
        unfinished[stream].delete(runId);
        if (rest !== undefined) emitLine(emit, runId, stream, rest);
      }
    },
  };
}

function emitLine(
  emit: (record: object) => void,
  runId: string,
  stream: StreamName,
  line: string,
): void {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  for (let start = 0; start === 0 || start < text.length; start += maxLineLength) {
    emit({ run_id: runId, stream, text: text.slice(start, start + maxLineLength) });
  }
}

/** Stands in for a stream's write, with its three forms of arguments. */
function replaceWrite(stream: StreamName, take: (stream: StreamName, text: string) => void) {
  return (
    chunk: string | Uint8Array,
    encoding?: BufferEncoding | ((error?: Error | null) => void),
    callback?: (error?: Error | null) => void,
  ): boolean => {
    take(stream, typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8'));
    const done = typeof encoding === 'function' ? encoding : callback;
    if (done !== undefined) process.nextTick(done);
    return true;
  };
}
