// Drives one server by LangGraph's API over plain HTTP and keeps all its responses.
import { readSse } from '../fixtures/read-sse.ts';

export interface StreamEvent {
  readonly event: string;
  readonly data: unknown;
}

/** One request and its response. */
export interface Step {
  readonly name: string;
  readonly status: number;
  /** Of a response in one piece. */
  readonly body?: unknown;
  /** Of a stream. */
  readonly events?: readonly StreamEvent[];
}

const LIMIT_MS = 60_000;

/** The steps of one scenario on one server. */
export class Recording {
  readonly steps: Step[] = [];
  readonly #base: string;
  readonly graph: string;

  constructor(base: string, graph: string) {
    this.#base = base;
    this.graph = graph;
  }

  /** One request; gives the body of the response, whatever its status. */
  async call(
    name: string,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<RecordedResponse> {
    const response = await fetch(this.#base + path, {
      method,
      ...(body !== undefined && jsonBody(body)),
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    const text = await response.text();
    const parsed = jsonOf(text);
    this.steps.push({ name, status: response.status, body: parsed });
    return parsed as RecordedResponse; // what scenarios read of it exists, or the comparison shows that it does not
  }

  /** A request whose response is a stream of events. */
  async stream(name: string, path: string, body: unknown): Promise<readonly StreamEvent[]> {
    const transcript = await readSse(this.#base + path, {
      method: 'POST',
      ...jsonBody(body),
      timeoutMs: LIMIT_MS,
    });
    const events = transcript.events.map(({ event, data }) => ({ event, data }));
    this.steps.push({ name, status: transcript.status, events });
    return events;
  }

  /** The same as `call`, again until `isReady` holds; only the last response is kept. */
  async until(
    name: string,
    path: string,
    isReady: (response: RecordedResponse) => boolean,
  ): Promise<RecordedResponse> {
    const end = performance.now() + LIMIT_MS;
    for (;;) {
      const response = await this.call(name, 'GET', path);
      if (isReady(response) || performance.now() > end) return response;
      this.steps.pop();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** Members of responses that scenarios use later. */
export interface RecordedResponse {
  readonly thread_id: string;
  readonly run_id?: string;
  readonly status: string;
  readonly checkpoint: { readonly checkpoint_id: string };
  readonly tasks: readonly { readonly interrupts: readonly { readonly id: string }[] }[];
  readonly [index: number]: RecordedResponse;
}

function jsonBody(body: unknown): RequestInit {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

function jsonOf(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
