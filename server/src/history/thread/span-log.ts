import { isObject, type JsonText } from '../../model/json.ts';
import type { RunError } from '../../model/run/run.ts';
import type { AttemptOutcome } from '../events.ts';
import { RUN_SPANS, SEARCHED_CHARS } from '../limits.ts';
import type { SpanStatus, TraceSpan } from '../port.ts';
import type { BuilderOptions } from './builder-options.ts';
import { boundedValue } from './recorded-value.ts';
import { beginSpan, closeSpan, type EndedCall, endSpan, parseChunk, timeOf } from './spans.ts';
import { searchedText } from './texts.ts';

/** How the ids of attempts begin: no guest's do. */
const ATTEMPT = 'attempt-';

/** What a trace chunk means for its run. */
export interface TracedEvent {
  at: number;
  call?: EndedCall;
  firstTokenAt?: number;
}

/** The spans of one run: which are open, and which changed since they were last written. */
export class SpanLog {
  /** The texts of model calls, for searches. */
  messages = '';
  readonly #options: BuilderOptions;
  readonly #open = new Map<string, TraceSpan>();
  #changed = new Map<string, TraceSpan>();
  #count = 0;

  constructor(options: BuilderOptions) {
    this.#options = options;
  }

  /** There were more spans than are recorded. */
  get isExceeded(): boolean {
    return this.#count > RUN_SPANS;
  }

  /** The spans that are new or changed since the last call. */
  take(): TraceSpan[] {
    const taken = [...this.#changed.values()];
    this.#changed = new Map();
    return taken;
  }

  beginAttempt(attempt: number, at: number): void {
    const id = attemptId(attempt);
    const name = `Attempt ${attempt}`;
    this.#add({ id, kind: 'attempt', name, status: 'running', attempt, startedAt: at });
  }

  endAttempt(attempt: number, at: number, { kind, error }: AttemptOutcome): void {
    const isLost = kind === 'crash' || kind === 'infra';
    const span = this.#open.get(attemptId(attempt));
    if (span) this.#open.delete(span.id);
    this.closeAll(isLost ? 'lost' : kind === 'cancelled' ? 'cancelled' : 'error', at);
    if (!span) return;
    closeSpan(span, isLost ? 'lost' : kind, at);
    if (error) span.error = this.#isDetailed ? errorOf(error) : { message: error.code };
    this.#changed.set(span.id, span);
  }

  /** Ends everything that is still open. */
  closeAll(status: SpanStatus, at: number): void {
    for (const span of this.#open.values()) {
      closeSpan(span, status, at);
      this.#changed.set(span.id, span);
    }
    this.#open.clear();
  }

  /** A chunk of the guest; undefined when it is none. */
  trace(json: JsonText, attempt: number): TracedEvent | undefined {
    const chunk = parseChunk(json);
    if (!chunk) return undefined;
    const at = timeOf(chunk.ts);
    if (chunk.event === 'start') {
      if (chunk.id.startsWith(ATTEMPT)) return undefined;
      this.#add(this.#recorded(beginSpan(chunk, attempt)));
      return { at };
    }
    const span = this.#open.get(chunk.id);
    if (!span || span.kind === 'attempt') return undefined;
    this.#changed.set(span.id, span);
    if (chunk.event === 'token') {
      span.firstTokenAt ??= at;
      return { at, firstTokenAt: at };
    }
    this.#open.delete(span.id);
    const call = endSpan(span, chunk, this.#options.prices);
    this.#recorded(span);
    return { at, ...(call && { call }) };
  }

  get #isDetailed(): boolean {
    return this.#options.detail === 'full';
  }

  #add(span: TraceSpan): void {
    this.#count += 1;
    if (this.isExceeded) return;
    this.#open.set(span.id, span);
    this.#changed.set(span.id, span);
  }

  /** The span without what is not to be recorded. */
  #recorded(span: TraceSpan): TraceSpan {
    if (!this.#isDetailed) {
      delete span.input;
      delete span.output;
      delete span.params;
      if (span.error) {
        const { type } = span.error;
        span.error = { message: '', ...(type !== undefined && { type }) };
      }
      return span;
    }
    for (const member of ['input', 'output', 'params'] as const) {
      if (span[member] !== undefined) span[member] = boundedValue(this.#redacted(span[member]));
    }
    if (span.kind === 'model') this.#search(span.status === 'running' ? span.input : span.output);
    return span;
  }

  /** Of what the guest has cut, the beginning is text in which no path finds anything. */
  #redacted(value: unknown): unknown {
    const { redact, isRedacting } = this.#options;
    if (!isRedacting) return value;
    if (!isObject(value) || value['truncated'] !== true) return redact(value);
    return { truncated: true, bytes: value['bytes'] };
  }

  #search(messages: unknown): void {
    if (this.messages.length >= SEARCHED_CHARS) return;
    this.messages = `${this.messages} ${searchedText(messages)}`.slice(0, SEARCHED_CHARS);
  }
}

/** The code and the traceback are those of the run. */
function errorOf({ type, message }: RunError): NonNullable<TraceSpan['error']> {
  return { message, ...(type !== undefined && { type }) };
}

function attemptId(attempt: number): string {
  return `${ATTEMPT}${attempt}`;
}
