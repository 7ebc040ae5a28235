import { isIP } from 'node:net';
import { connect, type ConnectionOptions } from 'node:tls';
import type { EngineAuth } from '../../config/engine-auth.ts';

/** An engine sends first over HTTP/2; after this much silence the result is left to the real connection. */
const PROBE_MS = 5_000;

const untrusted =
  'its certificate comes from no authority that is trusted here; engine.auth.mtls.ca_file names one';
const noClient =
  'it does not accept our client certificate, or misses one: engine.auth.mtls.cert_file and key_file';

/** By the error code of node or OpenSSL. */
const reasons: Record<string, string> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  CERT_SIGNATURE_FAILURE: untrusted,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'its certificate is for another name; engine.auth.mtls.server_name names the expected one',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not speak TLS',
};

/**
 * Why the TLS handshake with the engine fails, in words to follow "The engine at … cannot be used: ". The SDK retries
 * until its timeout and then names no reason. Undefined when TLS is not the cause.
 */
export function tlsRefusal(
  address: string,
  tls: NonNullable<EngineAuth['tls']>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { host, port } = splitAddress(address);
  const { ca, client, serverName = isIP(host) === 0 ? host : undefined } = tls;
  return new Promise((resolve) => {
    const end = (reason: string | undefined): void => {
      clearTimeout(limit);
      signal.removeEventListener('abort', giveUp);
      socket?.destroy();
      resolve(reason);
    };
    const giveUp = (): void => end(undefined);
    const limit = setTimeout(giveUp, PROBE_MS);
    const socket = dial(
      {
        host,
        port,
        ALPNProtocols: ['h2'],
        ...(serverName === undefined ? {} : { servername: serverName }),
        ...(ca === undefined ? {} : { ca }),
        ...client,
      },
      end,
    );
    if (socket === undefined) return;
    signal.addEventListener('abort', giveUp, { once: true });
    let isSecure = false;
    socket.once('secureConnect', () => (isSecure = true));
    // The engine's settings frame: the handshake succeeded.
    socket.once('data', giveUp);
    socket.once('error', (error: NodeJS.ErrnoException) => end(reasonOf(error, isSecure)));
    socket.once('close', () => end(isSecure ? noClient : undefined));
  });
}

function dial(options: ConnectionOptions, end: (reason: string) => void) {
  try {
    return connect(options);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    end(`engine.auth.mtls holds something unusable (${reason})`);
    return undefined;
  }
}

function reasonOf(error: NodeJS.ErrnoException, isSecure: boolean): string | undefined {
  const { code = '' } = error;
  const known = reasons[code];
  if (known !== undefined) return known;
  // TLS 1.3 reports a missing or wrong client certificate after the handshake.
  return isSecure || /ALERT/.test(code) ? noClient : undefined;
}

function splitAddress(address: string): { host: string; port: number } {
  // Without a port it is Temporal's default, as for the SDK.
  const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(address) ?? [address, address, '7233'];
  return { host: host.replaceAll(/[[\]]/g, ''), port: Number(port) };
}
