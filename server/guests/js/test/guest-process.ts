import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { credentials, type ClientReadableStream, type ServiceError } from '@grpc/grpc-js';
import { loadGuestProto, messageLimits, socketAddress } from '../src/guest-proto.ts';
import type { DescribeOptions } from '../src/describe-agents.ts';
import type {
  AgentDescription,
  CallModelRequest,
  CallModelResponse,
  Chunk,
  End,
  InvokeEvent,
  InvokeRequest,
  ReadStatesRequest,
  ReadStatesResponse,
  UpdateStateRequest,
  UpdateStateResponse,
} from '../src/wire.ts';
import { protoPath, type MemoryHost } from './memory-host.ts';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
export const agentsDir = fileURLToPath(new URL('./agents', import.meta.url));

export interface LogRecord {
  run_id: string;
  stream: string;
  text: string;
}

interface AgentsClient {
  Describe(
    request: object,
    done: (error: ServiceError | null, response: { agents: AgentDescription[] }) => void,
  ): void;
  Health(request: object, done: (error: ServiceError | null, response: object) => void): void;
  Cancel(
    request: { token: string },
    done: (error: ServiceError | null, response: { found: boolean }) => void,
  ): void;
  UpdateState(
    request: object,
    done: (error: ServiceError | null, response: UpdateStateResponse) => void,
  ): void;
  ReadStates(
    request: object,
    done: (error: ServiceError | null, response: ReadStatesResponse) => void,
  ): void;
  CallModel(
    request: object,
    done: (error: ServiceError | null, response: CallModelResponse) => void,
  ): { cancel(): void };
  Invoke(request: object): ClientReadableStream<{ events: InvokeEvent[] }>;
  close(): void;
}

export interface RunOutcome {
  end: End;
  chunks: Chunk[];
}

export interface GuestProcess {
  pid: number;
  /** What the agents' code wrote. */
  logs: LogRecord[];
  describe(options?: DescribeOptions): Promise<AgentDescription[]>;
  health(): Promise<object>;
  cancel(token: string): Promise<{ found: boolean }>;
  /** Its response; the host then has everything. */
  updateState(request: Partial<UpdateStateRequest>): Promise<UpdateStateResponse>;
  readStates(request: Partial<ReadStatesRequest>): Promise<ReadStatesResponse>;
  callModel(request: Partial<CallModelRequest>): {
    response: Promise<CallModelResponse>;
    cancel(): void;
  };
  /** Starts a run; `chunkSeen` resolves when the first chunk that fits has come. */
  start(request: Partial<InvokeRequest>): {
    outcome: Promise<RunOutcome>;
    chunkSeen(fits: (chunk: Chunk) => boolean): Promise<Chunk>;
  };
  invoke(request: Partial<InvokeRequest>): Promise<RunOutcome>;
  /** Resolves when a log line fits. */
  logSeen(fits: (record: LogRecord) => boolean): Promise<LogRecord>;
  closeStdin(): void;
  exited: Promise<unknown>;
  kill(): Promise<void>;
}

let runs = 0;

/** Starts a real guest process with the given agents, and waits until it is ready. */
export async function startGuest(
  host: MemoryHost,
  agents: Record<string, string>,
  options: {
    maxMessageBytes?: number;
    sourceDir?: string;
    egress?: { socket: string; port: number };
    /** Beside that of this process. */
    env?: Record<string, string>;
  } = {},
): Promise<GuestProcess> {
  runs += 1;
  const guestSocket = join(host.directory, `guest-${runs}.sock`);
  const configFile = join(host.directory, `guest-${runs}.json`);
  const maxMessageBytes = options.maxMessageBytes ?? 50 * 1024 * 1024;
  await writeFile(
    configFile,
    JSON.stringify({
      source_dir: options.sourceDir ?? agentsDir,
      host_socket: host.socket,
      guest_socket: guestSocket,
      proto_path: protoPath,
      max_message_bytes: maxMessageBytes,
      ...(options.egress && {
        egress_socket: options.egress.socket,
        egress_port: options.egress.port,
      }),
      agents: Object.entries(agents).map(([agent_id, path]) => ({ agent_id, path })),
    }),
  );
  const child = spawn(process.execPath, [main, configFile], {
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(options.env && { env: { ...process.env, ...options.env } }),
  });
  const exited = once(child, 'exit');
  const logs: LogRecord[] = [];
  const logWatchers = new Set<(record: LogRecord) => void>();
  let errorOutput = '';
  child.stderr.on('data', (data: Buffer) => (errorOutput += data.toString()));
  const ready = new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (!line.startsWith('\x1e')) return;
      const record = JSON.parse(line.slice(1)) as { event?: string } & LogRecord; // our own format
      if (record.event === 'ready') resolve();
      else {
        logs.push(record);
        for (const watcher of logWatchers) watcher(record);
      }
    });
    void exited.then(() => reject(new Error(`The guest ended: ${errorOutput}`)));
  });
  await ready;

  const client = new (loadGuestProto(protoPath).Agents)(
    socketAddress(guestSocket),
    credentials.createInsecure(),
    messageLimits(maxMessageBytes),
  ) as unknown as AgentsClient; // methods made at run time

  const start: GuestProcess['start'] = (request) => {
    const chunks: Chunk[] = [];
    const watchers = new Set<(chunk: Chunk) => void>();
    const call = client.Invoke(request);
    const outcome = new Promise<RunOutcome>((resolve, reject) => {
      let end: End | undefined;
      call.on('data', ({ events }: { events: InvokeEvent[] }) => {
        for (const event of events) {
          if ('chunk' in event) {
            chunks.push(event.chunk);
            for (const watcher of watchers) watcher(event.chunk);
          } else end = event.end;
        }
      });
      call.on('error', reject);
      call.on('end', () => {
        if (end === undefined) reject(new Error('The stream ended without an end event.'));
        else resolve({ end, chunks });
      });
    });
    return {
      // As the real host: the run has ended when its last write is taken in. Writes have a separate stream, which
      // the end may overtake.
      outcome: outcome.then(async (seen) => {
        await host.until(request.token ?? '', seen.end.lastSeq);
        return seen;
      }),
      chunkSeen: (fits) =>
        new Promise((resolve) => {
          const seen = chunks.find(fits);
          if (seen !== undefined) resolve(seen);
          watchers.add((chunk) => fits(chunk) && resolve(chunk));
        }),
    };
  };

  return {
    pid: child.pid ?? 0,
    logs,
    describe: async (options: DescribeOptions = {}) => {
      const response = await call<{ agents: AgentDescription[] }>((done) =>
        client.Describe(options, done),
      );
      return response.agents;
    },
    health: () => call((done) => client.Health({}, done)),
    cancel: (token) => call((done) => client.Cancel({ token }, done)),
    updateState: async (request) => {
      const response = await call<UpdateStateResponse>((done) => client.UpdateState(request, done));
      await host.until(request.token ?? '', response.lastSeq);
      return response;
    },
    readStates: (request) => call((done) => client.ReadStates(request, done)),
    callModel: (request) => {
      let cancel = (): void => undefined;
      const response = call<CallModelResponse>((done) => {
        const made = client.CallModel(request, done);
        cancel = () => made.cancel();
      });
      return { response, cancel: () => cancel() };
    },
    start,
    invoke: (request) => start(request).outcome,
    logSeen: (fits) =>
      new Promise((resolve) => {
        const seen = logs.find(fits);
        if (seen !== undefined) resolve(seen);
        logWatchers.add((record) => fits(record) && resolve(record));
      }),
    closeStdin: () => child.stdin.end(),
    exited,
    async kill() {
      client.close();
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** A run's request, ready but for what the test is about. */
export function runRequest(
  threadId: string,
  runId: string,
  rest: Partial<InvokeRequest>,
): Partial<InvokeRequest> {
  return {
    token: `token-${runId}-${rest.attempt ?? 1}`,
    threadId,
    runId,
    attempt: 1,
    configJson: JSON.stringify({
      metadata: {},
      configurable: { thread_id: threadId, run_id: runId, checkpoint_ns: '' },
    }),
    ...rest,
  };
}

function call<T>(
  start: (done: (error: ServiceError | null, response: T) => void) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    start((error, response) => (error === null ? resolve(response) : reject(error)));
  });
}
