import {
  credentials,
  type ClientDuplexStream,
  type ClientReadableStream,
  type ServiceError,
} from '@grpc/grpc-js';
import { errorOfHost } from './guest-error.ts';
import { clientOptions, messageLimits, socketAddress, type GuestProto } from './guest-proto.ts';
import type {
  CheckpointMessage,
  DeleteThreadRequest,
  ListRequest,
  LoadRequest,
  WriteAck,
  WriteRequest,
} from './wire.ts';

/** The host's Checkpoints service. One write stream serves the whole process. */
export interface HostChannel {
  /** Sends a write. Resolves when there is room for the next; the acknowledgement comes separately. */
  write(request: WriteRequest): Promise<void>;
  /** Calls `onAck` with every acknowledgement of the token, and with a failure when the stream is lost. */
  watch(token: string, onAck: (ack: WriteAck) => void): void;
  unwatch(token: string): void;
  load(request: LoadRequest): Promise<CheckpointMessage | undefined>;
  list(request: ListRequest): AsyncIterable<CheckpointMessage>;
  deleteThread(request: DeleteThreadRequest): Promise<void>;
  close(): void;
}

type Callback<T> = (error: ServiceError | null, response: T) => void;

interface CheckpointsClient {
  Write(): ClientDuplexStream<WriteRequest, WriteAck>;
  Load(request: LoadRequest, done: Callback<{ checkpoint: CheckpointMessage | null }>): void;
  List(request: ListRequest): ClientReadableStream<CheckpointMessage>;
  DeleteThread(request: DeleteThreadRequest, done: Callback<object>): void;
  close(): void;
}

/** Connects to the host's socket. */
export function openHostChannel(
  proto: GuestProto,
  options: { hostSocket: string; maxMessageBytes: number },
): HostChannel {
  const client = new proto.Checkpoints(
    socketAddress(options.hostSocket),
    credentials.createInsecure(),
    { ...messageLimits(options.maxMessageBytes), ...clientOptions },
  ) as unknown as CheckpointsClient; // its methods are made at run time, from the proto file

  const watchers = new Map<string, (ack: WriteAck) => void>();
  let stream: ClientDuplexStream<WriteRequest, WriteAck> | undefined;
  let roomAgain: Promise<void> | undefined;

  const openStream = (): ClientDuplexStream<WriteRequest, WriteAck> => {
    const opened = client.Write();
    opened.on('data', (ack: WriteAck) => watchers.get(ack.token)?.(ack));
    // grpc-js reports the end of a call once: as 'error' or as 'end'.
    const lose = (reason: string): void => {
      if (stream !== opened) return;
      stream = undefined;
      const error = {
        code: 'engine_unavailable',
        message: reason,
        type: '',
        node: '',
        traceback: '',
      };
      for (const [token, watcher] of watchers) watcher({ token, seq: 0, error });
    };
    opened.on('error', (error) => lose(`The write stream to the host broke: ${error.message}`));
    opened.on('end', () => lose('The host closed the write stream.'));
    return opened;
  };

  // Opened before the first run needs it.
  stream = openStream();

  return {
    write(request) {
      stream ??= openStream();
      if (stream.write(request)) return Promise.resolve();
      const full = stream;
      roomAgain ??= new Promise((resolve) => {
        const go = (): void => {
          for (const event of ['drain', 'error', 'close', 'end']) full.off(event, go);
          roomAgain = undefined;
          resolve();
        };
        for (const event of ['drain', 'error', 'close', 'end']) full.on(event, go);
      });
      return roomAgain;
    },
    watch: (token, onAck) => void watchers.set(token, onAck),
    unwatch: (token) => void watchers.delete(token),
    load: (request) =>
      new Promise((resolve, reject) => {
        client.Load(request, (error, response) => {
          if (error !== null) reject(errorOfHost('Load', error));
          else resolve(response.checkpoint ?? undefined);
        });
      }),
    async *list(request) {
      const call = client.List(request);
      try {
        // A readable of our own message type: the iterator of the base class is untyped.
        for await (const message of call as AsyncIterable<CheckpointMessage>) yield message;
      } catch (error) {
        throw errorOfHost('List', error);
      } finally {
        call.cancel();
      }
    },
    deleteThread: (request) =>
      new Promise((resolve, reject) => {
        client.DeleteThread(request, (error) => {
          if (error !== null) reject(errorOfHost('DeleteThread', error));
          else resolve();
        });
      }),
    close() {
      stream?.end();
      client.close();
    },
  };
}
