import type { TLSConfig } from '@temporalio/client';
import type { EngineAuth } from '../../config/engine-auth.ts';

/** How both SDK connections, the client's and the worker's, are told our credentials. */
export interface TransportOptions {
  tls?: TLSConfig;
  apiKey?: string;
}

/** The SDK's form of our credentials. */
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
