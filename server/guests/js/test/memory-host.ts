import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  Server,
  ServerCredentials,
  status,
  type sendUnaryData,
  type ServerDuplexStream,
  type ServerUnaryCall,
  type ServerWritableStream,
} from '@grpc/grpc-js';
import { loadGuestProto, messageLimits, socketAddress } from '../src/guest-proto.ts';
import type {
  CheckpointMessage,
  DeleteThreadRequest,
  ErrorMessage,
  ListRequest,
  LoadRequest,
  WriteAck,
  WriteRequest,
} from '../src/wire.ts';
import { memoryApiService, type ApiHandlers } from './memory-api.ts';
import { MemoryCheckpoints } from './memory-checkpoints.ts';
import { memoryStoreService } from './memory-store.ts';

export const protoPath = fileURLToPath(
  new URL('../../../proto/guest/v1/guest.proto', import.meta.url),
);

/** A host for tests: the services of the host over memory, strict about order, and with everything written down. */
export interface MemoryHost {
  socket: string;
  directory: string;
  checkpoints: MemoryCheckpoints;
  /** Every write, in the order of its arrival. */
  writes: WriteRequest[];
  /** Every load that was asked for. */
  loads: LoadRequest[];
  /** Handlers of requests of agents' own clients, by the token of their run. */
  api: ApiHandlers;
  /** Resolves when the write has arrived. */
  until(token: string, seq: number): Promise<void>;
  /** Refuses writes from now on. */
  refuse(error: Pick<ErrorMessage, 'code' | 'message'> | undefined): void;
  /** Holds back the acknowledgements of sync writes until the function it returns is called. */
  holdAcks(): () => void;
  /** Reads no writes, as a host that is busy, until the function it returns is called. */
  holdWrites(): () => void;
  close(): Promise<void>;
}

/** Starts the host on a socket in a new directory. */
export async function startMemoryHost(maxMessageBytes = 50 * 1024 * 1024): Promise<MemoryHost> {
  const directory = await mkdtemp(join(tmpdir(), 'guest-js-'));
  const socket = join(directory, 'host.sock');
  const checkpoints = new MemoryCheckpoints();
  const writes: WriteRequest[] = [];
  const loads: LoadRequest[] = [];
  const taken = new Map<string, number>();
  const writeCalls = new Set<ServerDuplexStream<WriteRequest, WriteAck>>();
  const arrivals = new Set<() => void>();
  let refusal: Pick<ErrorMessage, 'code' | 'message'> | undefined;
  let acksHeld: Promise<void> = Promise.resolve();

  const takeIn = (request: WriteRequest): ErrorMessage | null => {
    const expected = (taken.get(request.token) ?? 0) + 1;
    if (request.seq !== expected) {
      return hostError('invalid_request', `seq ${request.seq} instead of ${expected}`);
    }
    taken.set(request.token, request.seq);
    writes.push(request);
    if (refusal !== undefined) return hostError(refusal.code, refusal.message);
    if ('save' in request) checkpoints.save(request.save);
    else checkpoints.saveWrites(request.writes, runOf(request.token));
    for (const arrived of arrivals) arrived();
    return null;
  };

  const until = async (token: string, seq: number): Promise<void> => {
    while ((taken.get(token) ?? 0) < seq) {
      await new Promise<void>((resolve) => {
        const arrived = (): void => {
          arrivals.delete(arrived);
          resolve();
        };
        arrivals.add(arrived);
      });
    }
  };

  const load = async (request: LoadRequest): Promise<{ checkpoint: CheckpointMessage | null }> => {
    loads.push(request);
    await until(request.token, request.afterSeq);
    return { checkpoint: checkpoints.load(request) ?? null };
  };

  const deleteThread = async (request: DeleteThreadRequest): Promise<object> => {
    await until(request.token, request.afterSeq);
    if (request.threadId === 'forbidden') throw new Error('permission_denied: Not your thread.');
    checkpoints.deleteThread(request.threadId);
    return {};
  };

  const server = new Server(messageLimits(maxMessageBytes));
  const proto = loadGuestProto(protoPath);
  server.addService(proto.Store.service, memoryStoreService());
  const api: ApiHandlers = new Map();
  server.addService(proto.Api.service, memoryApiService(api));
  server.addService(proto.Checkpoints.service, {
    Write(call: ServerDuplexStream<WriteRequest, WriteAck>) {
      writeCalls.add(call);
      call.on('close', () => writeCalls.delete(call));
      call.on('data', (request: WriteRequest) => {
        const error = takeIn(request);
        const { token, seq } = request;
        if (error !== null) call.write({ token, seq, error });
        else if (request.sync) void acksHeld.then(() => call.write({ token, seq, error: null }));
      });
      call.on('end', () => call.end());
      call.on('error', () => undefined); // the guest was killed
    },
    Load: unary(load),
    List(call: ServerWritableStream<ListRequest, CheckpointMessage>) {
      void until(call.request.token, call.request.afterSeq).then(() => {
        for (const checkpoint of checkpoints.list(call.request, runOf(call.request.token)))
          call.write(checkpoint);
        call.end();
      });
    },
    DeleteThread: unary(deleteThread),
  });
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(socketAddress(socket), ServerCredentials.createInsecure(), (error) =>
      error === null ? resolve() : reject(error),
    );
  });

  return {
    socket,
    directory,
    checkpoints,
    writes,
    loads,
    api,
    until,
    refuse: (error) => (refusal = error),
    holdAcks() {
      let release: () => void = () => undefined;
      acksHeld = new Promise((resolve) => (release = resolve));
      return release;
    },
    holdWrites() {
      for (const call of writeCalls) call.pause();
      return () => {
        for (const call of writeCalls) call.resume();
      };
    },
    async close() {
      server.forceShutdown();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function unary<Request, Result>(handle: (request: Request) => Promise<Result>) {
  return ({ request }: ServerUnaryCall<Request, Result>, reply: sendUnaryData<Result>): void => {
    const refuse = (error: unknown): void =>
      reply({
        code: status.FAILED_PRECONDITION,
        details: error instanceof Error ? error.message : '',
      });
    handle(request).then((value) => reply(null, value), refuse);
  };
}

/** The run of a token as `runRequest` makes it. */
function runOf(token: string): string | undefined {
  return /^token-(.*)-\d+$/.exec(token)?.[1];
}

function hostError(code: string, message: string): ErrorMessage {
  return { code, message, type: '', node: '', traceback: '' };
}
