import {
  type handleServerStreamingCall,
  type handleUnaryCall,
  type sendUnaryData,
  Server,
  type ServerDuplexStream,
  status,
  type StatusObject,
} from '@grpc/grpc-js';
import type { GuestApiPort } from './api-port.ts';
import { apiService } from './api-server.ts';
import { channelOptions, protoService } from './proto.ts';
import { checkpointMessage, readQuery, readWrite } from './checkpoint-wire.ts';
import { grpcFailure, Refusal } from './grpc-failure.ts';
import type { GuestCaller, Logger } from '../port.ts';
import { type BoundedListener, listenForGuest } from './bounded-listener.ts';
import { guestLimits, type GuestLimits } from '../limits.ts';
import { type Patience, plainPatience } from '../pool/patience.ts';
import type {
  CheckpointMessage,
  DeleteThreadRequestMessage,
  ErrorMessage,
  ListRequestMessage,
  LoadRequestMessage,
  LoadResponseMessage,
  WriteAckMessage,
  WriteRequestMessage,
} from './proto-messages.ts';
import type { GuestStorePort } from './store-port.ts';
import { storeService } from './store-server.ts';
import { type TokenScope, TokenSession } from './token-session.ts';

export interface CheckpointServerOptions {
  socketPath: string;
  maxMessageBytes: number;
  logger: Logger;
  /** Absent: agents have no store. */
  store?: GuestStorePort;
  /** Absent: agents cannot call the API. */
  api?: GuestApiPort;
  limits?: GuestLimits;
  /** Runs the time limits of waits for the guest. */
  patience?: Patience;
}

type WriteCall = ServerDuplexStream<WriteRequestMessage, WriteAckMessage>;

/** Serves `Checkpoints`, and `Store` and `Api` if given, to one guest process, limited to what its tokens open. */
export class CheckpointServer {
  readonly #server: Server;
  readonly #options: CheckpointServerOptions;
  readonly #limits: GuestLimits;
  readonly #tokens = new Map<string, TokenSession>();
  readonly #writeCalls = new Set<WriteCall>();
  #onDrained: (() => void)[] = [];
  #listener: BoundedListener | undefined;

  private constructor(options: CheckpointServerOptions) {
    this.#options = options;
    this.#limits = options.limits ?? guestLimits;
    this.#server = new Server(channelOptions(options.maxMessageBytes));
    this.#server.addService(protoService('Checkpoints'), {
      Write: (call: WriteCall) => this.#write(call),
      Load: this.#load,
      List: this.#list,
      DeleteThread: this.#deleteThread,
    });
    const { store, api, logger, patience } = options;
    if (store) {
      const callerOf = (token: string): GuestCaller | undefined => this.#tokens.get(token)?.caller;
      const service = storeService({ store, callerOf, logger });
      this.#server.addService(protoService('Store'), service);
    }
    if (api) {
      const sessionOf = (token: string): TokenSession | undefined => this.#tokens.get(token);
      const about = { api, sessionOf, logger, limits: this.#limits, ...(patience && { patience }) };
      this.#server.addService(protoService('Api'), apiService(about));
    }
  }

  /** Agents of this guest have a store. */
  get hasStore(): boolean {
    return this.#options.store !== undefined;
  }

  /** Listens on the socket; its folder must be private to this user. */
  static async start(options: CheckpointServerOptions): Promise<CheckpointServer> {
    const server = new CheckpointServer(options);
    const { hostConnections } = server.#limits;
    server.#listener = await listenForGuest(server.#server, options.socketPath, hostConnections);
    return server;
  }

  /** Opens a token; it is valid until it is closed. */
  openToken(scope: TokenScope): TokenSession {
    const session = new TokenSession(
      scope,
      this.#options.logger,
      this.#options.patience ?? plainPatience,
    );
    this.#tokens.set(session.token, session);
    return session;
  }

  closeToken(session: TokenSession): void {
    this.#tokens.delete(session.token);
    session.close();
  }

  /** Resolves when the guest's write streams have ended, after its process has exited, or when the limit has passed. */
  async drained(limitMs: number): Promise<void> {
    if (this.#writeCalls.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, limitMs);
      this.#onDrained.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** Cuts the connection. Idempotent. */
  close(): void {
    for (const session of this.#tokens.values()) session.close();
    this.#tokens.clear();
    this.#listener?.close();
    this.#server.forceShutdown();
  }

  #write(call: WriteCall): void {
    this.#writeCalls.add(call);
    const acknowledge = (token: string, seq: number, error?: ErrorMessage): void => {
      if (call.cancelled || call.writableEnded) return;
      call.write(error ? { token, seq, error } : { token, seq });
    };
    call.on('data', (message: WriteRequestMessage) => {
      const { token = '', seq = 0 } = message;
      const session = this.#tokens.get(token);
      const write = readWrite(message);
      if (!session) acknowledge(token, seq, unknownToken);
      else if (!write) acknowledge(token, seq, { code: 'internal', message: 'An empty write.' });
      else session.take(write, (error) => acknowledge(token, seq, error));
    });
    call.on('end', () => call.end());
    call.on('error', (error) => this.#options.logger.debug({ err: error }, 'a write stream broke'));
    call.on('close', () => this.#writeEnded(call));
    call.on('cancelled', () => this.#writeEnded(call));
  }

  #writeEnded(call: WriteCall): void {
    this.#writeCalls.delete(call);
    if (this.#writeCalls.size > 0) return;
    const waiting = this.#onDrained;
    this.#onDrained = [];
    for (const wake of waiting) wake();
  }

  readonly #load: handleUnaryCall<LoadRequestMessage, LoadResponseMessage> = (call, callback) => {
    const { thread_id: threadId = '', checkpoint_ns: ns = '', checkpoint_id: id } = call.request;
    void this.#respond(callback, async () => {
      const { session } = await this.#admit(call.request, threadId);
      const checkpoint = await session.load(threadId, ns, id || undefined);
      return checkpoint ? { checkpoint: checkpointMessage(threadId, checkpoint) } : {};
    });
  };

  readonly #list: handleServerStreamingCall<ListRequestMessage, CheckpointMessage> = (call) => {
    const list = async (): Promise<void> => {
      const { session } = await this.#admit(call.request, call.request.thread_id);
      for await (const found of session.list(readQuery(call.request))) {
        if (call.cancelled) return;
        const hasRoom = call.write(checkpointMessage(found.threadId, found.checkpoint));
        if (!hasRoom) await roomOrEnd(call);
      }
      call.end();
    };
    list().catch((error: unknown) => call.emit('error', this.#failure(error)));
  };

  readonly #deleteThread: handleUnaryCall<DeleteThreadRequestMessage, object> = (
    call,
    callback,
  ) => {
    const { thread_id: threadId = '' } = call.request;
    void this.#respond(callback, async () => {
      const { session } = await this.#admit(call.request, threadId);
      await session.deleteThread(threadId);
      return {};
    });
  };

  async #respond<Response>(
    callback: sendUnaryData<Response>,
    work: () => Promise<Response>,
  ): Promise<void> {
    let response: Response;
    try {
      response = await work();
    } catch (error) {
      callback(this.#failure(error));
      return;
    }
    callback(null, response);
  }

  /** The session of a read, once the writes that the guest made before it have arrived. */
  async #admit(
    request: { token?: string; after_seq?: number },
    threadId: string | undefined,
  ): Promise<TokenSession> {
    const session = this.#tokens.get(request.token ?? '');
    if (!session) throw new Refusal(status.PERMISSION_DENIED, unknownToken.message);
    if (!session.reaches(threadId)) {
      throw new Refusal(status.PERMISSION_DENIED, 'The run may not reach another thread.');
    }
    const arrival = await session.arrival(request.after_seq ?? 0, this.#limits.readAfterWriteMs);
    if (arrival !== 'taken') {
      throw new Refusal(status.DEADLINE_EXCEEDED, 'An earlier write of the run did not come in.');
    }
    return session;
  }

  #failure(error: unknown): Partial<StatusObject> & Error {
    return grpcFailure(error, this.#options.logger, 'the checkpoint could not be read');
  }
}

const unknownToken = { code: 'permission_denied', message: 'The token is not that of a run.' };

async function roomOrEnd(
  call: Parameters<handleServerStreamingCall<unknown, unknown>>[0],
): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = (): void => {
      call.off('drain', done);
      call.off('cancelled', done);
      resolve();
    };
    call.once('drain', done);
    call.once('cancelled', done);
  });
}
