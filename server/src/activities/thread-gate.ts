import type { Checkpoint } from '../model/checkpoint/checkpoint.ts';
import type { CheckpointPort } from '../model/checkpoint/checkpoint-port.ts';

/**
 * Holds back what an invocation asks of its thread. While the workflow task that began the invocation is open, the thread
 * responds to nothing, and nobody but this process knows of the run: a write that arrived first would be refused.
 */
export class ThreadGate {
  /** Resolves when the invocation needs its thread. */
  readonly wanted: Promise<void>;
  #want: () => void = () => undefined;
  #open: () => void = () => undefined;
  #shut: (reason: Error) => void = () => undefined;
  readonly #opened: Promise<void>;

  constructor() {
    this.wanted = new Promise((resolve) => (this.#want = resolve));
    this.#opened = new Promise((resolve, reject) => {
      this.#open = resolve;
      this.#shut = reject;
    });
    this.#opened.catch(() => undefined); // reported to what waits
  }

  /** From now on everything passes, what waits first. */
  open(): void {
    this.#open();
  }

  /** Nothing passes any more: what waits is rejected. */
  shut(reason: Error): void {
    this.#shut(reason);
  }

  /** The checkpoints behind the gate. Storing a large payload does not need the thread. */
  guard(checkpoints: CheckpointPort): CheckpointPort {
    const pass = (): Promise<void> => {
      this.#want();
      return this.#opened;
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
