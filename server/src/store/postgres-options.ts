import { readFileSync } from 'node:fs';
import { checkServerIdentity, type ConnectionOptions } from 'node:tls';
import { ServiceError } from '../errors/service-error.ts';

const tlsModes = ['disable', 'require', 'verify-ca', 'verify-full'] as const;
export type PostgresTlsMode = (typeof tlsModes)[number];

/** How to reach a PostgreSQL server. */
export interface PostgresSettings {
  connectionString: string;
  /** Absent: as the connection string states. */
  tlsMode?: PostgresTlsMode;
  tlsCaFile?: string;
}

/** Options that are passed to the driver. */
export interface PostgresOptions {
  /** Without any TLS parameter: the driver interprets `sslmode` differently from the four modes. */
  connectionString: string;
  ssl: false | ConnectionOptions;
}

/** The driver's options for the settings; `config_invalid` when they cannot describe a server. */
export function postgresOptions(settings: PostgresSettings): PostgresOptions {
  const url = parseUrl(settings.connectionString);
  const host = hostOf(url);
  const mode =
    settings.tlsMode ?? modeOf(url) ?? (isOnThisMachine(host) ? 'disable' : 'verify-full');
  const files = {
    ca: settings.tlsCaFile ?? url.searchParams.get('sslrootcert') ?? undefined,
    cert: url.searchParams.get('sslcert') ?? undefined,
    key: url.searchParams.get('sslkey') ?? undefined,
  };
  for (const name of [...url.searchParams.keys()]) {
    if (/^(ssl|uselibpqcompat)/.test(name)) url.searchParams.delete(name);
  }
  return {
    connectionString: url.href,
    ssl: mode === 'disable' ? false : { ...readFiles(files), ...verification(mode, host) },
  };
}

function verification(mode: Exclude<PostgresTlsMode, 'disable'>, host: string): ConnectionOptions {
  if (mode === 'require') return { rejectUnauthorized: false };
  return {
    rejectUnauthorized: true,
    checkServerIdentity: (_name, certificate) =>
      mode === 'verify-ca' ? undefined : checkServerIdentity(host, certificate),
  };
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^postgres(ql)?:$/.test(url.protocol)) return url;
  // The text contains a password and is not repeated.
  throw invalid('takes a URI such as postgresql://user:password@host:5432/database');
}

function modeOf(url: URL): PostgresTlsMode | undefined {
  const text = url.searchParams.get('sslmode');
  if (text === null) return undefined;
  const mode = tlsModes.find((known) => known === text);
  if (mode !== undefined) return mode;
  throw invalid(`has sslmode=${text}; known are ${tlsModes.join(', ')}`);
}

/** A name, an address without brackets, or the folder of a socket. */
function hostOf(url: URL): string {
  const host = url.searchParams.get('host') ?? decodeURIComponent(url.hostname);
  return host.replace(/^\[(.*)\]$/, '$1');
}

function isOnThisMachine(host: string): boolean {
  return host === '' || host.startsWith('/') || /^(localhost|127(\.\d{1,3}){3}|::1)$/.test(host);
}

function readFiles(files: Record<string, string | undefined>): ConnectionOptions {
  const read = Object.entries(files).flatMap(([name, path]) =>
    path === undefined ? [] : [[name, readPem(path)]],
  );
  return Object.fromEntries(read);
}

function readPem(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new ServiceError('config_invalid', `The store's TLS file cannot be read: ${path}`, {
      cause,
    });
  }
}

function invalid(problem: string): ServiceError {
  return new ServiceError('config_invalid', `store.postgresql.connection_string ${problem}.`);
}
