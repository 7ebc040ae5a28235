import { InterceptingCall, type Interceptor } from '@grpc/grpc-js';
import { Client, Connection, type TLSConfig } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import type { DataConverter } from '@temporalio/common';
import type { EngineAuth } from '../../config/engine-auth.ts';
import { isServiceError, ServiceError } from '../../errors/service-error.ts';
import { ENGINE_PAYLOAD_BYTES } from '../../model/limits/limits.ts';
import { createPayloadCodec } from './codec.ts';
import { isRefused } from './failures.ts';
import { tlsRefusal } from './tls-refusal.ts';

/** An engine's address, and our identity and credentials. */
export interface EngineAddress {
  address: string;
  namespace: string;
  /** Names this instance in the engine's histories. */
  identity: string;
  /** Absent: a plain connection without credentials. */
  auth?: EngineAuth;
  /** A cluster that is not ours: nothing is changed there, and it has its own limits. */
  isForeign?: boolean;
  /** How long it may take to respond; absent: 10 s. */
  connectTimeoutMs?: number;
}

/** The connections to one engine. */
export interface EngineConnection {
  /** For everything but starts. Without the SDK's own retry, which waits up to seconds: see `calls.ts`. */
  client: Client;
  /** Over the worker's connection, which eager starts need. */
  starter: Client;
  native: NativeConnection;
  dataConverter: DataConverter;
  namespace: string;
  identity: string;
  isForeign: boolean;
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 10_000;

/** The deadline of a call without its own: an engine that hangs would never respond. */
export const ENGINE_CALL_MS = 10_000;

/**
 * The embedded engine is back within a second or two after a crash, and calls are retried for `CALL_PATIENCE_MS`:
 * gRPC's own pauses (1 s, then 1.6 times the previous one, up to 2 minutes) may be longer than either.
 */
const RECONNECT = {
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1_000,
} as const;

/**
 * Connects to the engine. Rejects with `engine_unavailable` when it does not respond in time, with `config_invalid` and
 * the setting to change when it refuses the connection.
 */
export async function connectEngine(where: EngineAddress): Promise<EngineConnection> {
  const { namespace, identity } = where;
  const dataConverter: DataConverter = { payloadCodecs: [createPayloadCodec()] };
  const { connection, native } = await connectBoth(where);
  const common = { namespace, identity, dataConverter };
  return {
    client: new Client({ connection, ...common }),
    starter: new Client({ connection: native, ...common }),
    native,
    dataConverter,
    namespace,
    identity,
    isForeign: where.isForeign === true,
    async close() {
      await connection.close();
      await native.close();
    },
  };
}

/** Cancels a call under way when the signal fires; it then fails as cancelled. */
export async function endingWith<T>(
  client: Client,
  signal: AbortSignal | undefined,
  call: () => Promise<T>,
): Promise<T> {
  if (!signal) return call();
  // The SDK retains a call, and with it the response, for as long as its abort signal exists: so each call has its own
  // signal. The client's signal may live for days.
  const own = new AbortController();
  const end = (): void => own.abort(signal.reason);
  signal.addEventListener('abort', end, { once: true });
  try {
    return await client.connection.withAbortSignal(own.signal, call);
  } finally {
    signal.removeEventListener('abort', end);
  }
}

const limitCall: Interceptor = (options, nextCall) =>
  new InterceptingCall(
    nextCall({ ...options, deadline: options.deadline ?? Date.now() + ENGINE_CALL_MS }),
  );

/** Over loopback, and our codec has compressed large payloads; the SDK's default is gzip for every message. */
const UNCOMPRESSED = { grpcCompression: { codec: 'none' } } as const;

async function connectBoth({
  address,
  auth,
  connectTimeoutMs = CONNECT_TIMEOUT_MS,
  isForeign = false,
}: EngineAddress): Promise<{ connection: Connection; native: NativeConnection }> {
  const transport = transportOf(auth);
  const connecting = Connection.connect({
    address,
    interceptors: [limitCall],
    connectTimeout: connectTimeoutMs,
    channelArgs: {
      // Responses above gRPC's 4 MiB would otherwise be retried for 43 s.
      'grpc.max_receive_message_length': -1,
      ...RECONNECT,
    },
    ...transport,
  });
  try {
    await notRefused(address, auth, connecting);
    const connection = await connecting;
    try {
      const worker = { ...transport, ...(!isForeign && UNCOMPRESSED) };
      return { connection, native: await connectNative(address, worker, connectTimeoutMs) };
    } catch (error) {
      await connection.close();
      throw error;
    }
  } catch (error) {
    connecting.then(
      (connection) => connection.close(),
      () => undefined,
    );
    throw connectFailure(address, error);
  }
}

/** Rejects as soon as the TLS handshake is known to fail; resolves when the connection is established. */
async function notRefused(
  address: string,
  auth: EngineAuth | undefined,
  connecting: Promise<unknown>,
): Promise<void> {
  if (auth?.tls === undefined) return;
  const done = new AbortController();
  const refused = tlsRefusal(address, auth.tls, done.signal).then((reason) => {
    if (reason === undefined) return connecting;
    const sentence = `The engine at ${address} cannot be used: ${reason}.`;
    throw new ServiceError('config_invalid', sentence);
  });
  try {
    await Promise.race([connecting, refused]);
  } finally {
    done.abort();
    refused.catch(() => undefined); // already reported, or irrelevant
  }
}

async function connectNative(
  address: string,
  transport: TransportOptions & Partial<typeof UNCOMPRESSED>,
  timeoutMs: number,
): Promise<NativeConnection> {
  let limit: NodeJS.Timeout | undefined;
  const connecting = NativeConnection.connect({
    address,
    // By default the SDK warns of every payload above a quarter of the engine's limit.
    payloadLimits: { payloadsWarnSize: ENGINE_PAYLOAD_BYTES },
    ...transport,
  });
  const elapsed = new Promise<never>((_, reject) => {
    limit = setTimeout(() => reject(new Error('the worker got no connection')), timeoutMs);
  });
  try {
    return await Promise.race([connecting, elapsed]);
  } catch (error) {
    connecting.then(
      (native) => native.close(),
      () => undefined,
    );
    throw error;
  } finally {
    clearTimeout(limit);
  }
}

function connectFailure(address: string, error: unknown): ServiceError {
  if (isServiceError(error)) return error;
  if (isRefused(error)) {
    const sentence = `The engine at ${address} refuses the credentials; engine.auth.api_key is wrong or missing.`;
    return new ServiceError('config_invalid', sentence, { cause: error });
  }
  const sentence = `The engine at ${address} cannot be reached.`;
  return new ServiceError('engine_unavailable', sentence, { cause: error });
}

/** The credentials in the form that both SDK connections, the client's and the worker's, accept. */
interface TransportOptions {
  tls?: TLSConfig;
  apiKey?: string;
}

/** Converts our credentials to the SDK's form. */
export function transportOf(auth: EngineAuth | undefined): TransportOptions {
  const { apiKey, tls } = auth ?? {};
  return {
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(tls === undefined ? {} : { tls: tlsConfig(tls) }),
  };
}

function tlsConfig({ ca, client, serverName }: NonNullable<EngineAuth['tls']>): TLSConfig {
  return {
    ...(ca === undefined ? {} : { serverRootCACertificate: Buffer.from(ca) }),
    ...(serverName === undefined ? {} : { serverNameOverride: serverName }),
    ...(client === undefined
      ? {}
      : { clientCertPair: { crt: Buffer.from(client.cert), key: Buffer.from(client.key) } }),
  };
}
