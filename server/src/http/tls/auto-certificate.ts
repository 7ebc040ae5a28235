import { X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '../../observability/logger.ts';
import { readCertificate, type Certificate } from './certificate.ts';

const DAY_MS = 86_400_000;
const VALID_MS = 90 * DAY_MS;
/** A certificate that expires sooner is replaced at the next start. */
const RENEW_MS = 14 * DAY_MS;
/** Clocks of other machines may be behind. */
const BACKDATE_MS = 3_600_000;
const SERVER_AUTHENTICATION = '1.3.6.1.5.5.7.3.1';

/** This machine's own certificate, made when none exists; development only (spec: Authentication, 2). */
export async function autoCertificate(options: {
  dataDir: string;
  logger: Logger;
  now?: Date;
}): Promise<Certificate> {
  const { dataDir, logger, now = new Date() } = options;
  const folder = join(dataDir, 'tls');
  const files = { certFile: join(folder, 'auto-cert.pem'), keyFile: join(folder, 'auto-key.pem') };
  const names = ['localhost', hostname().toLowerCase()];
  let certificate = reusable(files, names, now);
  if (certificate === undefined) {
    certificate = await generate(names, now);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    replace(files.keyFile, certificate.key);
    replace(files.certFile, certificate.cert);
  }
  const { fingerprint256 } = new X509Certificate(certificate.cert);
  logger.warn(
    { file: files.certFile, sha256: fingerprint256 },
    'self-signed certificate, development only',
  );
  return certificate;
}

/** Replaces the file atomically, so that killing this process never leaves half a file. */
function replace(path: string, text: string): void {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, path);
}

function reusable(
  files: { certFile: string; keyFile: string },
  names: readonly string[],
  now: Date,
): Certificate | undefined {
  try {
    const parsed = new X509Certificate(readFileSync(files.certFile));
    const isNearItsEnd = Date.parse(parsed.validTo) - now.getTime() < RENEW_MS;
    const isForUs = names.every((name) => parsed.checkHost(name) !== undefined);
    return isNearItsEnd || !isForUs ? undefined : readCertificate(files, now);
  } catch {
    // Missing or damaged: a new one is made.
    return undefined;
  }
}

async function generate(names: readonly string[], now: Date): Promise<Certificate> {
  // Loaded only here: half a megabyte that a service with its own certificate does not need.
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  const signingAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await crypto.subtle.generateKey(signingAlgorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=Agent Runtime (self-signed)',
    notBefore: new Date(now.getTime() - BACKDATE_MS),
    notAfter: new Date(now.getTime() + VALID_MS),
    signingAlgorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([SERVER_AUTHENTICATION]),
      new x509.SubjectAlternativeNameExtension([
        ...names.map((value) => ({ type: 'dns' as const, value })),
        { type: 'ip', value: '127.0.0.1' },
        { type: 'ip', value: '::1' },
      ]),
    ],
  });
  const key = x509.PemConverter.encode(
    await crypto.subtle.exportKey('pkcs8', keys.privateKey),
    'PRIVATE KEY',
  );
  return { cert: `${certificate.toString('pem')}\n`, key: `${key}\n` };
}
