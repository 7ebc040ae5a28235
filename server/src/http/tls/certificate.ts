import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { ServiceError } from '../../errors/service-error.ts';

/** A certificate with its intermediate certificates, and its key; both PEM. */
export interface Certificate {
  cert: string;
  key: string;
}

const FIRST_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/;

function refused(sentence: string, cause?: unknown): ServiceError {
  return new ServiceError('config_invalid', sentence, { cause });
}

function read(path: string, setting: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw refused(`${setting} names a file that cannot be read: ${path}`, cause);
  }
}

function parse(text: string, path: string, setting: string): X509Certificate {
  try {
    return new X509Certificate(FIRST_CERTIFICATE.exec(text)?.[0] ?? '');
  } catch (cause) {
    throw refused(`${setting} names a file without a PEM certificate: ${path}`, cause);
  }
}

/** Reads a certificate and its key, and checks that a server can use them now; `config_invalid` with one sentence otherwise. */
export function readCertificate(
  files: { certFile: string; keyFile: string },
  now: Date = new Date(),
): Certificate {
  const { certFile, keyFile } = files;
  const cert = read(certFile, 'api.tls.cert_file');
  const key = read(keyFile, 'api.tls.key_file');
  const parsed = parse(cert, certFile, 'api.tls.cert_file');
  // Node 20 has no validToDate.
  const [from, to] = [new Date(parsed.validFrom), new Date(parsed.validTo)];
  if (to < now) {
    throw refused(`The certificate ${certFile} expired on ${day(to)}.`);
  }
  if (from > now) {
    throw refused(`The certificate ${certFile} is not valid before ${day(from)}.`);
  }
  if (!parsed.checkPrivateKey(parseKey(key, keyFile))) {
    throw refused(`The key ${keyFile} is not the key of the certificate ${certFile}.`);
  }
  try {
    createSecureContext({ cert, key });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw refused(`The certificate ${certFile} cannot be used: ${reason}`, cause);
  }
  return { cert, key };
}

function parseKey(text: string, path: string): KeyObject {
  try {
    return createPrivateKey(text);
  } catch (cause) {
    throw refused(
      `api.tls.key_file names a file without a PEM key that needs no password: ${path}`,
      cause,
    );
  }
}

/** Reads the authorities that must have issued client certificates. */
export function readClientCa(path: string): string {
  const text = read(path, 'api.tls.client_ca_file');
  parse(text, path, 'api.tls.client_ca_file');
  return text;
}

function day(date: Date): string {
  return date.toISOString().slice(0, 10);
}
