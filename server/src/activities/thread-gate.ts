import type { Checkpoint } from '../model/checkpoint/checkpoint.ts';
import type { CheckpointPort } from '../model/checkpoint/checkpoint-port.ts';

/**
 * Holds back what an invocation asks of its thread. While the workflow task that began the invocation is open, the thread
 * responds to nothing, and only this process knows of the run: a write that arrived first would be refused.
 */
export class ThreadGate {
  /** Resolves when the invocation needs its thread. */
  readonly wanted: Promise<void>;
  #want: () => void = () => undefined;
  #decide: (refusal?: () => Error) => void = () => undefined;
  /** Resolves when everything passes, or with the reason why nothing does. */
  readonly #decided: Promise<(() => Error) | undefined>;

  constructor() {
    this.wanted = new Promise((resolve) => (this.#want = resolve));
    this.#decided = new Promise((resolve) => (this.#decide = resolve));
  }

  /** From now on everything passes, what waits first. */
  open(): void {
    this.#decide();
  }

  /** Nothing passes any more, unless the gate is open. */
  shut(reason: () => Error): void {
    this.#decide(reason);
  }

  /** The checkpoints behind the gate. Storing a large payload does not need the thread. */
  guard(checkpoints: CheckpointPort): CheckpointPort {
    const pass = async (): Promise<void> => {
      this.#want();
      const refusal = await this.#decided;
      if (refusal) throw refusal();
    };
    return {
      offload: (threadId, op) => checkpoints.offload(threadId, op),
      async applyBatch(threadId, batch) {
        await pass();
        await checkpoints.applyBatch(threadId, batch);
      },
      async *read(threadId, selection): AsyncGenerator<Checkpoint> {
        await pass();
        yield* checkpoints.read(threadId, selection);
      },
    };
  }
}
