import { randomUUID } from 'node:crypto';
import { isServiceError } from '../../errors/service-error.ts';
import type { RunError } from '../../model/run/run.ts';
import type { ApiCaller } from './api-port.ts';
import type { GuestWrite } from './checkpoint-wire.ts';
import type { CheckpointSession, GuestCaller, Logger } from '../port.ts';
import type { Patience } from '../pool/patience.ts';

/** What a token gives access to. Without `threadId`: every thread of its session (conformance tests). */
export interface TokenScope {
  session: CheckpointSession;
  threadId?: string;
  /** On whose behalf the store and the API are used; absent: they are not used. */
  caller?: GuestCaller;
  /** Instead: on whose behalf the API alone is used. */
  apiCaller?: ApiCaller;
  /** Called once, when a write is refused for the first time. */
  onRefusal?: (error: RunError) => void;
}

/** How the wait for a write ended: it arrived, it is late, or an earlier write is missing. */
export type Arrival = 'taken' | 'late' | 'broken';

/** The writes of one token, in their order. Independent of gRPC. */
export class TokenSession {
  /** 122 random bits; Node takes them from a pool, so a run costs no system call. */
  readonly token = randomUUID();
  readonly session: CheckpointSession;
  readonly #scope: TokenScope;
  #received = 0;
  #unsettled = 0;
  #isBroken = false;
  #refusal: RunError | undefined;
  readonly #onClose = new Set<() => void>();
  #waiting: { seq: number; wake: (arrival: Arrival) => void }[] = [];

  readonly #logger: Logger;
  readonly #patience: Patience;

  constructor(scope: TokenScope, logger: Logger, patience: Patience) {
    this.session = scope.session;
    this.#scope = scope;
    this.#logger = logger;
    this.#patience = patience;
  }

  /** The first refusal of this token's writes: it decides how the run ends, whatever the guest reports. */
  get refusal(): RunError | undefined {
    return this.#refusal;
  }

  get caller(): GuestCaller | undefined {
    return this.#scope.caller;
  }

  get apiCaller(): ApiCaller | undefined {
    return this.#scope.apiCaller ?? this.#scope.caller;
  }

  /** Calls the listener when the token is closed; returns a function that removes it. */
  onClose(listener: () => void): () => void {
    this.#onClose.add(listener);
    return () => this.#onClose.delete(listener);
  }

  /** Ends the calls in progress on its behalf. Idempotent. */
  close(): void {
    for (const listener of this.#onClose) listener();
    this.#onClose.clear();
  }

  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** The token may read and write this thread. */
  reaches(threadId: string | undefined): boolean {
    return this.#scope.threadId === undefined || this.#scope.threadId === threadId;
  }

  /** Accepts one write: passes it on immediately, acknowledges it when it is synchronous or refused. */
  take(write: GuestWrite, acknowledge: (error?: RunError) => void): void {
    if (this.#isBroken || write.seq !== this.#received + 1) {
      this.#break();
      acknowledge({ code: 'internal', message: `Write ${write.seq} came out of order.` });
      return;
    }
    this.#received = write.seq;
    this.#unsettled += 1;
    this.#hand(write).then(
      () => {
        this.#unsettled -= 1;
        if (write.isSync) acknowledge();
      },
      (cause: unknown) => {
        this.#unsettled -= 1;
        const error = this.#refusalOf(cause);
        this.#refuse(error);
        acknowledge(error);
      },
    );
    this.#wake();
  }

  /** Resolves when this write has been accepted and a refusal that is already known has been recorded. */
  async arrival(seq: number, limitMs: number): Promise<Arrival> {
    if (seq > this.#received && !this.#isBroken) {
      const arrival = await this.#arrivalLater(seq, limitMs);
      if (arrival !== 'taken') return arrival;
    }
    if (this.#isBroken) return 'broken';
    // A write that is refused without any wait rejects only in a later turn of the event loop.
    if (this.#unsettled > 0) await new Promise((resolve) => setImmediate(resolve));
    return 'taken';
  }

  async #hand(write: GuestWrite): Promise<void> {
    // Writes after a refused one build upon it, so they are refused as well.
    if (this.#refusal) throw new RefusedBefore(this.#refusal);
    if (!this.reaches(write.threadId)) {
      throw new RefusedBefore({
        code: 'permission_denied',
        message: 'The run may not write to another thread.',
      });
    }
    await this.session.write(write.op, write.threadId);
  }

  #arrivalLater(seq: number, limitMs: number): Promise<Arrival> {
    return new Promise((resolve) => {
      const entry = {
        seq,
        wake: (arrival: Arrival) => {
          inTime();
          resolve(arrival);
        },
      };
      const inTime = this.#patience.after(limitMs, () => {
        this.#waiting = this.#waiting.filter((other) => other !== entry);
        resolve('late');
      });
      this.#waiting.push(entry);
    });
  }

  #wake(): void {
    if (this.#waiting.length === 0) return;
    const ready = this.#waiting.filter(({ seq }) => seq <= this.#received);
    this.#waiting = this.#waiting.filter(({ seq }) => seq > this.#received);
    for (const { wake } of ready) wake('taken');
  }

  #break(): void {
    this.#isBroken = true;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { wake } of waiting) wake('broken');
  }

  #refusalOf(cause: unknown): RunError {
    if (cause instanceof RefusedBefore) return cause.error;
    if (isServiceError(cause)) return { code: cause.code, message: cause.message };
    this.#logger.error({ err: cause }, 'a checkpoint could not be taken in');
    return { code: 'internal', message: 'The checkpoint could not be taken in.' };
  }

  #refuse(error: RunError): void {
    if (this.#refusal) return;
    this.#refusal = error;
    this.#scope.onRefusal?.(error);
  }
}

class RefusedBefore extends Error {
  readonly error: RunError;

  constructor(error: RunError) {
    super(error.message);
    this.error = error;
  }
}
