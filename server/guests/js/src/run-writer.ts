import { GuestError } from './guest-error.ts';
import type { HostChannel } from './host-channel.ts';
import { checkWriteSize } from './write-size.ts';
import type { WriteOp } from './wire.ts';

/** The writes of one token: numbered, in order, and stopped by the first that the host refuses. */
export interface RunWriter {
  readonly token: string;
  readonly lastSeq: number;
  /** Why no further write is taken. */
  readonly failure: GuestError | undefined;
  /** Sends the write; with `sync` it resolves when the write is durable, otherwise as soon as it is on its way. */
  write(op: WriteOp): { sent: Promise<void>; durable: Promise<void> };
  close(): void;
}

/** Opens the token's numbering. A token has one writer for its whole life. */
export function openRunWriter(
  channel: HostChannel,
  options: {
    token: string;
    isSync: boolean;
    maxMessageBytes: number;
    /** The node of a task; "" when it is not known. */
    nameOfTask?: (id: string) => string;
  },
): RunWriter {
  const { token, isSync, maxMessageBytes, nameOfTask = () => '' } = options;
  const waiting = new Map<number, { resolve: () => void; reject: (error: GuestError) => void }>();
  let lastSeq = 0;
  let failure: GuestError | undefined;

  const fail = (error: GuestError): void => {
    failure ??= error;
    for (const { reject } of waiting.values()) reject(failure);
    waiting.clear();
  };

  channel.watch(token, (ack) => {
    if (ack.error !== null) {
      fail(new GuestError(ack.error.code, ack.error.message));
      return;
    }
    waiting.get(ack.seq)?.resolve();
    waiting.delete(ack.seq);
  });

  return {
    token,
    get lastSeq() {
      return lastSeq;
    },
    get failure() {
      return failure;
    },
    write(op) {
      if (failure !== undefined) throw failure;
      const tooLarge = checkWriteSize(op, { maxMessageBytes, nameOfTask });
      if (tooLarge !== undefined) {
        fail(tooLarge);
        throw tooLarge;
      }
      lastSeq += 1;
      const seq = lastSeq;
      const durable = isSync
        ? new Promise<void>((resolve, reject) => waiting.set(seq, { resolve, reject }))
        : Promise.resolve();
      return { sent: channel.write({ token, seq, sync: isSync, ...op }), durable };
    },
    close() {
      channel.unwatch(token);
      fail(new GuestError('run_fenced', 'The run has ended.'));
    },
  };
}
