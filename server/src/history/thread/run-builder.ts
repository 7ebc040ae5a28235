import { type JsonText, toJsonText } from '../../model/json.ts';
import { isSettled, type RunError, type RunStatus } from '../../model/run/run.ts';
import type { AttemptOutcome, FoundRunState, HistoryEvent, RunOrigin } from '../events.ts';
import type { RecordedLine, RecordedValue, TokenUsage, TraceSpan } from '../port.ts';
import type { BuilderOptions } from './builder-options.ts';
import { recordedValue } from './recorded-value.ts';
import { SpanLog } from './span-log.ts';
import { previewOf, searchedText } from './texts.ts';

/** The part of a run's record that changes. */
export interface RunState {
  status: RunStatus;
  begunAt?: number;
  firstTokenAt?: number;
  endedAt?: number;
  activityAt: number;
  attempts: number;
  /** The last attempt whose end was recorded. */
  endedAttempt: number;
  error?: RunError;
  output?: RecordedValue;
  outputPreview?: string;
  tokens: TokenUsage;
  cost?: number;
  isIncomplete: boolean;
}

/** The part that is known from the run's creation on. */
export interface RunOpening {
  origin: RunOrigin;
  input?: RecordedValue;
  inputPreview?: string;
  metadata: JsonText;
}

/** The texts of a run that can be searched. */
export interface RunTexts {
  input: string;
  output: string;
  error: string;
  messages: string;
}

/** What was recorded of a run before. */
export interface KnownRun {
  threadId: string;
  state: RunState;
  texts: RunTexts;
}

/** Events of one run. */
export type RunEvent = Exclude<
  HistoryEvent,
  { kind: 'thread_seen' | 'thread_deleted' | 'run_deleted' }
>;

/** Builds the record of one run from its events. */
export class RunBuilder {
  readonly state: RunState;
  /** Absent until an event has it; a run that is known already has it in its row. */
  opening: RunOpening | undefined;
  /** Known only here until it is loaded or learnt. */
  threadId: string | undefined;
  readonly #texts = { input: '', output: '', error: '' };
  readonly #options: BuilderOptions;
  readonly #spans: SpanLog;
  #lines: RecordedLine[] = [];
  /** The attempt in which the guest's invocation began. */
  #invocation: number | undefined;

  constructor(options: BuilderOptions, known?: KnownRun) {
    this.#options = options;
    this.#spans = new SpanLog(options);
    this.threadId = known?.threadId;
    if (known) {
      const { messages, ...texts } = known.texts;
      Object.assign(this.#texts, texts);
      this.#spans.messages = messages;
    }
    this.state = known?.state ?? {
      status: 'pending',
      activityAt: 0,
      attempts: 0,
      endedAttempt: 0,
      tokens: { input: 0, output: 0, total: 0 },
      isIncomplete: false,
    };
  }

  /** Nothing more is expected of the run. */
  get isOver(): boolean {
    return isSettled(this.state.status);
  }

  /** What a search finds. */
  get texts(): RunTexts {
    return { ...this.#texts, messages: this.#spans.messages };
  }

  /** Spans and lines that are new since the last call. */
  take(): { spans: TraceSpan[]; lines: RecordedLine[] } {
    const lines = this.#lines;
    this.#lines = [];
    return { spans: this.#spans.take(), lines };
  }

  apply(event: RunEvent): void {
    switch (event.kind) {
      case 'created':
        this.#learn(event.origin);
        this.state.status = event.status;
        return;
      case 'begun':
        if (event.origin) this.#learn(event.origin);
        this.#begin(event.attempt, event.at);
        return;
      case 'continued':
        this.state.attempts = Math.max(this.state.attempts, event.attempt);
        return;
      case 'traced':
        this.#trace(event.json);
        return;
      case 'ended':
        this.#end(event.attempt, event.at, event.outcome);
        return;
      case 'settled':
        this.#settle(event.status, event.at);
        return;
      case 'found':
        this.#find(event.found);
        return;
      case 'lines':
        if (this.#options.detail === 'full') this.#lines.push(...event.lines);
        return;
      case 'incomplete':
        this.state.isIncomplete = true;
    }
  }

  #learn(origin: RunOrigin): void {
    if (this.threadId !== undefined) return;
    this.threadId = origin.threadId;
    this.#touch(origin.createdAt);
    const isFull = this.#options.detail === 'full';
    const metadata = toJsonText(isFull ? this.#options.redact({ ...origin.metadata }) : {});
    this.opening = { origin, metadata };
    if (!isFull || origin.start.kind === 'proceed') return;
    const { value, recorded, preview } = this.#read(origin.start.json);
    this.opening.input = recorded;
    if (preview !== undefined) this.opening.inputPreview = preview;
    this.#texts.input = searchedText(value);
  }

  #begin(attempt: number, at: number): void {
    const { state } = this;
    // The end of the attempt before was lost with its process, and perhaps the last moments of its trace.
    if (state.endedAttempt < attempt - 1) state.isIncomplete = true;
    this.#spans.closeAll('lost', at);
    state.begunAt ??= at;
    state.attempts = Math.max(state.attempts, attempt);
    this.#invocation = attempt;
    delete state.endedAt;
    state.status = 'running';
    this.#touch(at);
    this.#spans.beginAttempt(attempt, at);
  }

  #trace(json: JsonText): void {
    const { state } = this;
    const event = this.#spans.trace(json, Math.max(1, state.attempts));
    if (this.#spans.isExceeded) state.isIncomplete = true;
    if (!event) return;
    this.#touch(event.at);
    if (event.firstTokenAt !== undefined) state.firstTokenAt ??= event.firstTokenAt;
    if (!event.call) return;
    const { input, output, total, cost } = event.call;
    const { tokens } = state;
    state.tokens = {
      input: tokens.input + input,
      output: tokens.output + output,
      total: tokens.total + total,
    };
    if (cost !== undefined) state.cost = (state.cost ?? 0) + cost;
  }

  #end(attempt: number, at: number, outcome: AttemptOutcome): void {
    const { state } = this;
    // The late end of an attempt that another one has replaced.
    if (this.#invocation !== undefined && attempt < this.#invocation) return;
    state.endedAttempt = Math.max(state.attempts, attempt);
    this.#spans.endAttempt(attempt, at, outcome);
    this.#touch(at);
    state.endedAt = at;
    // A completed run has settled; of any other the thread reports how.
    if (outcome.kind === 'completed') state.status = 'completed';
    if (outcome.error) this.#fail(outcome.error);
    else delete state.error;
    if (outcome.output !== undefined) this.#return(outcome.output);
  }

  #return(output: JsonText): void {
    if (this.#options.detail === 'metadata') return;
    const { state } = this;
    const { value, recorded, preview } = this.#read(output);
    state.output = recorded;
    if (preview !== undefined) state.outputPreview = preview;
    this.#texts.output = searchedText(value);
  }

  #fail(error: RunError): void {
    if (this.#options.detail === 'metadata') {
      this.state.error = { code: error.code, message: '' };
      return;
    }
    this.state.error = error;
    this.#texts.error = searchedText([error.code, error.type ?? '', error.message]);
  }

  #settle(status: RunStatus, at: number): void {
    const { state } = this;
    this.#spans.closeAll(status === 'cancelled' ? 'cancelled' : 'lost', at);
    if (status !== 'error') delete state.error;
    state.endedAt ??= at;
    state.status = status;
    this.#touch(at);
  }

  /** Of a run that ended unrecorded its thread has the end, but not what happened before. */
  #find({ status, at, attempt = 0, output, error }: FoundRunState): void {
    const { state } = this;
    if (!isSettled(status)) {
      // A late report does not bring back a run that is over.
      if (!this.isOver) state.status = status;
      return;
    }
    state.attempts = Math.max(state.attempts, attempt);
    if (state.endedAttempt < state.attempts) {
      state.isIncomplete = true;
      if (error) this.#fail(error);
      if (output !== undefined) this.#return(output);
    }
    this.#settle(status, at);
  }

  #touch(at: number): void {
    this.state.activityAt = Math.max(this.state.activityAt, at);
  }

  #read(json: JsonText): { value: unknown; recorded: RecordedValue; preview: string | undefined } {
    const value = this.#options.redact(JSON.parse(json)); // made by this service
    return { value, recorded: recordedValue(toJsonText(value)), preview: previewOf(value) };
  }
}
