import { status, type ClientReadableStream, type ServiceError as GrpcError } from '@grpc/grpc-js';

import { readEvents, type GuestEnd } from './agent-wire.ts';
import type { GuestProcess } from '../process/guest-process.ts';
import type { GuestLimits } from '../limits.ts';
import type { GuestChunk } from '../port.ts';
import type { InvokeEventsMessage } from './proto-messages.ts';

/** How the stream of an invocation ended; the caller derives the end of the run from it. */
export type StreamEnd =
  | { kind: 'end'; end: GuestEnd }
  /** The guest process has exited. */
  | { kind: 'gone'; message: string }
  /** The guest is alive, but the stream broke. */
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
      // Messages that it sent before its exit may still arrive.
      this.#later(limits.drainAfterExitMs, { kind: 'gone', message });
    });
    void this.ended.then(stopListening);
  }

  /** Asks the run to stop; settles as `stuck` when it does not within the grace period. Idempotent. */
  stop(token: string): void {
    if (this.#isStopping || this.#isSettled) return;
    this.#isStopping = true;
    this.#later(this.#limits.cancelGraceMs, { kind: 'stuck' });
    this.#guest.agents.cancel(token).catch(() => undefined); // the grace period covers a guest that does not respond
  }

  #later(delayMs: number, end: StreamEnd): void {
    if (!this.#isSettled) this.#timers.push(setTimeout(() => this.#finish(end), delayMs));
  }

  #broke(how: { message: string; code?: status }): void {
    if (this.#isSettled) return;
    const gone = (message: string): void => this.#finish({ kind: 'gone', message });
    const isTooLarge = how.code === status.RESOURCE_EXHAUSTED;
    // When a process exits, its streams break first and its exit is reported shortly after.
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
