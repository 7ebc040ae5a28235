import type { TLSSocket } from 'node:tls';

/** What is asked of client certificates; the words and their meaning are those of Go's crypto/tls. */
export type ClientAuth = 'none' | 'request' | 'require' | 'verify_if_given' | 'require_and_verify';

/** True when a certificate must be there. */
function isRequired(mode: ClientAuth): boolean {
  return mode === 'require' || mode === 'require_and_verify';
}

/** True when a certificate that is there must come from our authority. */
export function isVerified(mode: ClientAuth): boolean {
  return mode === 'verify_if_given' || mode === 'require_and_verify';
}

/** Why a connection is not taken, if it is not. */
export function refusalOf(mode: ClientAuth, socket: TLSSocket): string | undefined {
  if (mode === 'none') return undefined;
  const isGiven = socket.getPeerX509Certificate() !== undefined;
  if (!isGiven) return isRequired(mode) ? 'no certificate' : undefined;
  if (!isVerified(mode) || socket.authorized) return undefined;
  return String(socket.authorizationError);
}
