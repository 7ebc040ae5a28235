import { status, type ClientReadableStream, type ServiceError as GrpcError } from '@grpc/grpc-js';

import { readEvents, type GuestEnd } from './agent-wire.ts';
import type { GuestProcess } from '../process/guest-process.ts';
import type { GuestLimits } from '../limits.ts';
import type { GuestChunk } from '../port.ts';
import type { InvokeEventsMessage } from './proto-messages.ts';

/** How the stream of an invocation ended, before anybody asked what that means for the run. */
export type StreamEnd =
  | { kind: 'end'; end: GuestEnd }
  /** The guest process is gone. */
  | { kind: 'gone'; message: string }
  /** The guest lives, but the stream broke. */
  | { kind: 'lost'; message: string; isTooLarge: boolean }
  /** It was asked to stop and did not. */
  | { kind: 'stuck' };

/** Follows one Invoke stream to its end. Create it, then await `ended`. */
export class InvokeStream {
  readonly ended: Promise<StreamEnd>;
  readonly #guest: GuestProcess;
  readonly #call: ClientReadableStream<InvokeEventsMessage>;
  readonly #limits: GuestLimits;
  readonly #timers: NodeJS.Timeout[] = [];
  #settle: (end: StreamEnd) => void = () => undefined;
  #isSettled = false;
  #isStopping = false;

  constructor(
    guest: GuestProcess,
    call: ClientReadableStream<InvokeEventsMessage>,
    onChunk: (chunk: GuestChunk) => void,
    limits: GuestLimits,
  ) {
    this.#guest = guest;
    this.#call = call;
    this.#limits = limits;
    this.ended = new Promise((resolve) => {
      this.#settle = resolve;
    });
    call.on('data', (message: InvokeEventsMessage) => {
      const end = readEvents(message, onChunk);
      if (end) this.#finish({ kind: 'end', end });
    });
    call.on('end', () => this.#broke({ message: 'The guest left the run without an end.' }));
    call.on('error', (error: GrpcError) =>
      this.#broke({ message: error.details, code: error.code }),
    );
    const stopListening = guest.onExit((message) => {
      // What it sent before it died is still on its way.
      this.#later(limits.drainAfterExitMs, { kind: 'gone', message });
    });
    void this.ended.then(stopListening);
  }

  /** Asks the run to stop; settles as `stuck` when it does not within the grace. Idempotent. */
  stop(token: string): void {
    if (this.#isStopping || this.#isSettled) return;
    this.#isStopping = true;
    this.#later(this.#limits.cancelGraceMs, { kind: 'stuck' });
    this.#guest.agents.cancel(token).catch(() => undefined); // the grace covers a guest that does not answer
  }

  #later(delayMs: number, end: StreamEnd): void {
    if (!this.#isSettled) this.#timers.push(setTimeout(() => this.#finish(end), delayMs));
  }

  #broke(how: { message: string; code?: status }): void {
    if (this.#isSettled) return;
    const gone = (message: string): void => this.#finish({ kind: 'gone', message });
    const isTooLarge = how.code === status.RESOURCE_EXHAUSTED;
    // A dead process breaks its streams first and is reported a moment later.
    this.#later(this.#limits.exitAfterBreakMs, { kind: 'lost', message: how.message, isTooLarge });
    const stopListening = this.#guest.onExit((message) => setImmediate(gone, message));
    void this.ended.then(stopListening);
  }

  #finish(end: StreamEnd): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    for (const timer of this.#timers) clearTimeout(timer);
    if (end.kind !== 'end') this.#call.cancel();
    this.#settle(end);
  }
}
