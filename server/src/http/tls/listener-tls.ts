/*
 * TLS of listeners: given certificates, read again when their files change, and self-signed ones.
 */
import { constants } from 'node:crypto';
import { statSync } from 'node:fs';
import type { Server, ServerOptions } from 'node:https';
import type { TLSSocket } from 'node:tls';
import type { Logger } from '../../observability/logger.ts';
import { autoCertificate } from './auto-certificate.ts';
import { readCertificate, readClientCa } from './certificate.ts';

/** How often the files are checked: automated authorities replace certificates in place. */
const WATCH_MS = 60_000;

export interface TlsSettings {
  /** Absent: a self-signed certificate is made. */
  readonly files?: { readonly certFile: string; readonly keyFile: string };
  readonly clientAuth: ClientAuth;
  readonly clientCaFile?: string;
}

/** What makes a listener speak TLS. */
export interface ListenerTls {
  readonly options: ServerOptions;
  /** Refuses clients by their certificates, and follows the files while the server listens. */
  attach(server: Server): void;
  /** Reads changed files now. An invalid file leaves the previous certificates in use, with a warning. */
  reload(): void;
  close(): void;
}

export interface ListenerTlsOptions extends TlsSettings {
  /** The folder for the self-signed certificate. */
  dataDir: string;
  logger: Logger;
}

/** Reads or makes the certificate; rejects with one clear sentence when it cannot be used. */
export async function openTls(options: ListenerTlsOptions): Promise<ListenerTls> {
  const { files, clientAuth, clientCaFile, logger } = options;
  const made = files === undefined ? await autoCertificate(options) : undefined;
  const material = (): ServerOptions => ({
    ...(files === undefined ? made : readCertificate(files)),
    ...(clientCaFile === undefined ? {} : { ca: readClientCa(clientCaFile) }),
  });
  const watched = [files?.certFile, files?.keyFile, clientCaFile].filter(
    (path) => path !== undefined,
  );
  const initial = material();
  let seen = stampsOf(watched);
  let server: Server | undefined;
  let watcher: NodeJS.Timeout | undefined;

  function reload(): void {
    const stamps = stampsOf(watched);
    if (server === undefined || stamps === seen) return;
    seen = stamps;
    try {
      server.setSecureContext({ ...secureOptions(clientAuth), ...material() });
      logger.info({}, 'certificates reloaded');
    } catch (error) {
      logger.warn({ err: error }, 'changed certificates cannot be used');
    }
  }

  return {
    options: {
      ...initial,
      ...secureOptions(clientAuth),
      ALPNProtocols: ['http/1.1'],
      requestCert: clientAuth !== 'none',
      // `attach` decides which clients are refused, because node supports only one of the modes.
      rejectUnauthorized: false,
    },
    attach(listening) {
      server = listening;
      // Runs before the HTTP parser gets the socket: not even a request that came with the handshake is read.
      listening.prependListener('secureConnection', (socket) => {
        const reason = refusalOf(clientAuth, socket);
        if (reason === undefined) return;
        logger.info({ reason, address: socket.remoteAddress }, 'client certificate refused');
        socket.destroy();
      });
      if (watched.length > 0) watcher = setInterval(reload, WATCH_MS).unref();
    },
    reload,
    close: () => clearInterval(watcher),
  };
}

/** A resumed session would skip the certificate check. */
function secureOptions(clientAuth: ClientAuth): ServerOptions {
  return isVerified(clientAuth) || clientAuth === 'require'
    ? { secureOptions: constants.SSL_OP_NO_TICKET }
    : {};
}

function stampsOf(paths: readonly string[]): string {
  return paths
    .map((path) => statSync(path, { throwIfNoEntry: false }))
    .map((found) => `${found?.mtimeMs}:${found?.size}:${found?.ino}`)
    .join();
}

/** How client certificates are requested and checked; names and meanings are those of Go's crypto/tls. */
export type ClientAuth = 'none' | 'request' | 'require' | 'verify_if_given' | 'require_and_verify';

/** True when a certificate is required. */
function isRequired(mode: ClientAuth): boolean {
  return mode === 'require' || mode === 'require_and_verify';
}

/** True when a given certificate must be issued by our authority. */
function isVerified(mode: ClientAuth): boolean {
  return mode === 'verify_if_given' || mode === 'require_and_verify';
}

/** The reason to refuse a connection; undefined to accept it. */
function refusalOf(mode: ClientAuth, socket: TLSSocket): string | undefined {
  if (mode === 'none') return undefined;
  const isGiven = socket.getPeerX509Certificate() !== undefined;
  if (!isGiven) return isRequired(mode) ? 'no certificate' : undefined;
  if (!isVerified(mode) || socket.authorized) return undefined;
  return String(socket.authorizationError);
}
