import type { ClientDuplexStream } from '@grpc/grpc-js';

import { ServiceError } from '../../errors/service-error.ts';
import { errorText } from './agent-wire.ts';
import type { GuestLimits } from '../limits.ts';
import type {
  ErrorMessage,
  HttpRequestHeadMessage,
  HttpRequestMessage,
  HttpResponseMessage,
} from './proto-messages.ts';
import { authenticateRequest, type WebRequest } from './web-wire.ts';

/** A request to the manifest's `http.app`. */
export interface AppRequest extends WebRequest {
  scheme: 'http' | 'https';
  client: { address: string; port: number };
  /** The user who makes it: `{identity, display_name, is_authenticated, permissions, …}`. */
  user: Record<string, unknown>;
  /** The claims of the same: clients within the app call the API on their behalf. */
  principal: Record<string, unknown>;
  /** Rejects when the client disconnects, or sends more than it may. */
  body: AsyncIterable<Uint8Array>;
}

/** With what opens the API to the app's clients. */
type SentRequest = Omit<AppRequest, 'principal'> & { token: string };

/** The head of the response. Header names are in lower case, values as node writes them (Latin-1). */
export interface AppHead {
  status: number;
  headers: [name: string, value: string][];
}

/** Size of a part of a body; far below the limit of a message. */
const PART_BYTES = 256 * 1024;

/** One request to the app and its response, over one call. Close it when either is over. */
export class WebExchange {
  /** The app did not begin its response in time. */
  wasLate = false;
  readonly #call: ClientDuplexStream<HttpRequestMessage, HttpResponseMessage>;
  readonly #limits: Pick<GuestLimits, 'appResponseMs'>;
  readonly #ended: Promise<void>;
  #isOver = false;
  /** Why the request's own body ended too early. */
  #refusal: Error | undefined;
  readonly #cancel = (): void => this.#call.cancel();
  #signal: AbortSignal | undefined;

  constructor(
    call: ClientDuplexStream<HttpRequestMessage, HttpResponseMessage>,
    limits: Pick<GuestLimits, 'appResponseMs'>,
  ) {
    this.#call = call;
    this.#limits = limits;
    this.#ended = new Promise((resolve) => {
      const over = (): void => {
        this.#isOver = true;
        resolve();
      };
      call.once('status', over);
      call.on('error', over); // the reader of the response receives it too
    });
  }

  /** Sends the request, its body concurrently with the response; rejects with a ServiceError when there is none. */
  async begin(
    request: SentRequest,
    signal: AbortSignal,
  ): Promise<{ head: AppHead; body: AsyncIterable<Uint8Array> }> {
    this.#signal = signal;
    if (signal.aborted) this.#cancel();
    signal.addEventListener('abort', this.#cancel, { once: true });
    const late = setTimeout(() => {
      this.wasLate = true;
      this.#cancel();
    }, this.#limits.appResponseMs);
    void this.#send(request);
    try {
      const responses = this.#read();
      const first = await responses.next();
      const head = first.done === true ? undefined : first.value.head;
      if (!head) throw brokenOff();
      return { head: readHead(head), body: bodyOf(responses) };
    } finally {
      clearTimeout(late);
    }
  }

  /** Idempotent. */
  close(): void {
    this.#signal?.removeEventListener('abort', this.#cancel);
    if (!this.#isOver) this.#cancel();
  }

  async #send({ body, ...request }: SentRequest): Promise<void> {
    try {
      await this.#write({ head: requestHead(request) });
      for await (const part of body) {
        for (let at = 0; at < part.byteLength; at += PART_BYTES) {
          if (this.#isOver) return;
          await this.#write({ body: part.subarray(at, at + PART_BYTES) });
        }
        if (this.#isOver) return; // the app has responded without the rest
      }
      await this.#write({ end: true });
      this.#call.end();
    } catch (error) {
      this.#refusal = error instanceof Error ? error : new Error('the body broke off');
      this.#cancel();
    }
  }

  /** Resolves when the guest accepts more. */
  async #write(message: HttpRequestMessage): Promise<void> {
    if (this.#isOver || this.#call.write(message)) return;
    await new Promise<void>((resolve) => {
      this.#call.once('drain', resolve);
      void this.#ended.then(resolve);
    });
  }

  async *#read(): AsyncGenerator<HttpResponseMessage, void> {
    try {
      for await (const message of this.#call as AsyncIterable<HttpResponseMessage>) {
        if (message.error) throw failed(message.error);
        yield message;
      }
    } catch (error) {
      if (this.#refusal) throw this.#refusal;
      if (error instanceof ServiceError) throw error;
      throw this.wasLate ? tooLate(this.#limits.appResponseMs) : brokenOff(error);
    }
  }
}

async function* bodyOf(responses: AsyncIterable<HttpResponseMessage>): AsyncGenerator<Uint8Array> {
  for await (const { body } of responses) {
    if (body !== undefined) yield body;
  }
}

function requestHead(request: Omit<SentRequest, 'body'>): HttpRequestHeadMessage {
  const { scheme, client, user, token } = request;
  return {
    ...authenticateRequest(request),
    user_json: JSON.stringify(user),
    scheme,
    client: client.address,
    client_port: client.port,
    token,
  };
}

function readHead({ status = 0, headers }: NonNullable<HttpResponseMessage['head']>): AppHead {
  return {
    status,
    headers: headers.map(({ name = '', value }) => [
      name,
      value ? Buffer.from(value).toString('latin1') : '',
    ]),
  };
}

/** The details are the `cause`, for the log: clients must not see tracebacks. */
function failed(error: ErrorMessage): ServiceError {
  const cause = new Error(errorText(error));
  return new ServiceError('agent_error', "The agents' http.app failed.", { cause });
}

function brokenOff(cause?: unknown): ServiceError {
  const message = "The agents' http.app ended before its response was complete.";
  return new ServiceError('agent_error', message, { status: 502, cause });
}

function tooLate(limitMs: number): ServiceError {
  const message = `The agents' http.app did not respond within ${limitMs / 1000} s.`;
  return new ServiceError('agent_error', message, { status: 504 });
}
