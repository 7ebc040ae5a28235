import type { RunId } from '../../model/ids.ts';
import type { AttributedLine } from '../pool/guest-runs.ts';
import { guestLimits, type GuestLimits } from '../limits.ts';

/** A line of a run's output, with its number among all lines that the run has written. */
export interface KeptLine extends Omit<AttributedLine, 'runId'> {
  /** Counted from 1, over all attempts. */
  id: number;
  /** The attempt whose guest wrote it, counted from 1. */
  attempt: number;
}

/** The kept output of one run. */
interface RunOutput {
  attempt: number;
  /** How many lines it has written. */
  count: number;
  lines: KeptLine[];
  bytes: number;
}

/** The memory of a line besides its text. */
const LINE_BYTES = 100;

/**
 * The output of the latest runs, bounded for each and in total: the oldest is removed first. The output of an ended run
 * is kept as long as its events.
 */
export class OutputLog {
  readonly #runs = new Map<RunId, RunOutput>();
  /** Ended runs in the order of their end, with its timestamp. */
  readonly #ended = new Map<RunId, number>();
  readonly #limits: GuestLimits;
  readonly #now: () => number;
  readonly #sweeper: NodeJS.Timeout;
  #bytes = 0;

  constructor(limits: GuestLimits = guestLimits, now: () => number = Date.now) {
    this.#limits = limits;
    this.#now = now;
    this.#sweeper = setInterval(() => this.#sweep(), limits.outputKeptMs / 10);
    this.#sweeper.unref();
  }

  /** Output of the run belongs to this attempt from now on. */
  begin(runId: RunId, attempt: number): void {
    this.#open(runId).attempt = attempt;
    this.#ended.delete(runId);
  }

  append({ runId, ...line }: AttributedLine): void {
    if (runId === undefined) return;
    const output = this.#open(runId);
    output.count += 1;
    output.lines.push({ ...line, id: output.count, attempt: output.attempt });
    this.#count(output, sizeOf(line));
    const { outputRunBytes, outputRunLines } = this.#limits;
    while (output.bytes > outputRunBytes || output.lines.length > outputRunLines) {
      const oldest = output.lines.shift();
      if (!oldest) break;
      this.#count(output, -sizeOf(oldest));
    }
    if (this.#bytes > this.#limits.outputTotalBytes) this.#shed();
  }

  /** The run has finally ended: its output is removed after `outputKeptMs`. */
  end(runId: RunId): void {
    if (this.#runs.has(runId) && !this.#ended.has(runId)) this.#ended.set(runId, this.#now());
    this.#sweep();
  }

  /** Removes the output of the run. */
  remove(runId: RunId): void {
    this.#bytes -= this.#runs.get(runId)?.bytes ?? 0;
    this.#runs.delete(runId);
    this.#ended.delete(runId);
  }

  /** The kept lines of the run, oldest first. */
  read(runId: RunId): readonly KeptLine[] {
    return this.#runs.get(runId)?.lines ?? [];
  }

  /** How many lines the run has written, kept or not. */
  written(runId: RunId): number {
    return this.#runs.get(runId)?.count ?? 0;
  }

  close(): void {
    clearInterval(this.#sweeper);
  }

  /** Above the total, the output of ended runs is removed first, then that of the oldest ones. */
  #shed(): void {
    const isEnough = (): boolean => this.#bytes <= this.#limits.outputTotalBytes;
    for (const runId of this.#ended.keys()) {
      if (isEnough()) return;
      this.remove(runId);
    }
    for (const output of this.#runs.values()) {
      if (isEnough()) return;
      output.lines = [];
      this.#count(output, -output.bytes);
    }
  }

  #open(runId: RunId): RunOutput {
    const output = this.#runs.get(runId) ?? { attempt: 1, count: 0, lines: [], bytes: 0 };
    this.#runs.set(runId, output);
    return output;
  }

  #count(output: RunOutput, bytes: number): void {
    output.bytes += bytes;
    this.#bytes += bytes;
  }

  #sweep(): void {
    const limit = this.#now() - this.#limits.outputKeptMs;
    for (const [runId, endedAt] of this.#ended) {
      if (endedAt > limit) return;
      this.remove(runId);
    }
  }
}

function sizeOf({ text }: Pick<AttributedLine, 'text'>): number {
  return LINE_BYTES + 2 * text.length;
}
