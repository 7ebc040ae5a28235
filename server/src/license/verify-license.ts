/*
 * The license: a signed file that is verified offline.
 */
import { readFileSync } from 'node:fs';
import { errors, importJWK, jwtVerify } from 'jose';
import * as z from 'zod';
import { ServiceError } from '../errors/service-error.ts';

const product = 'agent-runtime';
const howToGetOne =
  'set SERVICE_LICENSE_KEY (the README has the free community key) or start once on a terminal, which offers it';

const claimsSchema = z.object({ sub: z.string(), product: z.string(), tier: z.string() });

/** The content of a valid licence key. */
export interface License {
  subject: string;
  tier: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

function invalid(reason: string, cause?: unknown): ServiceError {
  return new ServiceError('license_invalid', `${reason}; ${howToGetOne}.`, { cause });
}

/** The error for a start without a key. */
export function missingLicense(): ServiceError {
  return invalid('A licence key is needed');
}

function bundledKey(): Record<string, unknown> {
  const path = new URL('./keys/public-key.jwk.json', import.meta.url);
  return z.record(z.string(), z.unknown()).parse(JSON.parse(readFileSync(path, 'utf8')));
}

/** The bundled free key, which `npm start`, the desktop and the tests use. */
export function communityKey(): string {
  return readFileSync(new URL('./keys/community.key', import.meta.url), 'utf8').trim();
}

/** Checks a key offline against the bundled public key; rejects with `license_invalid` and the reason. */
export async function verifyLicense(key: string, now: Date = new Date()): Promise<License> {
  try {
    const { payload } = await jwtVerify(key.trim(), await importJWK(bundledKey(), 'EdDSA'), {
      algorithms: ['EdDSA'],
      typ: 'license+jwt',
      issuer: product,
      requiredClaims: ['exp'],
      currentDate: now,
    });
    const claims = claimsSchema.parse(payload);
    if (claims.product !== product) {
      throw invalid(`The licence key is for the product "${claims.product}"`);
    }
    return { subject: claims.sub, tier: claims.tier, expiresAt: (payload.exp ?? 0) * 1000 };
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    if (error instanceof errors.JWTExpired) {
      const day = new Date((error.payload.exp ?? 0) * 1000).toISOString().slice(0, 10);
      throw invalid(`The licence key expired on ${day}`, error);
    }
    if (error instanceof errors.JWSSignatureVerificationFailed) {
      throw invalid('The licence key was not signed by the vendor', error);
    }
    throw invalid('The licence key is not a key of this product', error);
  }
}
