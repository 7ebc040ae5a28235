import { Client, Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import type { DataConverter } from '@temporalio/common';
import { ServiceError } from '../errors/service-error.ts';
import { createPayloadCodec } from './codec.ts';

/** Where an engine is and who we are to it. */
export interface EngineAddress {
  address: string;
  namespace: string;
  /** Names this instance in the engine's histories. */
  identity: string;
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
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 10_000;

/** Connects to the engine, or rejects with `engine_unavailable`. */
export async function connectEngine(where: EngineAddress): Promise<EngineConnection> {
  const { address, namespace, identity } = where;
  const dataConverter: DataConverter = { payloadCodecs: [createPayloadCodec()] };
  try {
    const connection = await Connection.connect({
      address,
      interceptors: [],
      connectTimeout: CONNECT_TIMEOUT_MS,
      // Answers above gRPC's 4 MiB would otherwise be retried for 43 s.
      channelArgs: { 'grpc.max_receive_message_length': -1 },
    });
    const native = await NativeConnection.connect({ address });
    const common = { namespace, identity, dataConverter };
    return {
      client: new Client({ connection, ...common }),
      starter: new Client({ connection: native, ...common }),
      native,
      dataConverter,
      namespace,
      identity,
      async close() {
        await connection.close();
        await native.close();
      },
    };
  } catch (cause) {
    throw new ServiceError('engine_unavailable', `The engine at ${address} cannot be reached.`, {
      cause,
    });
  }
}
