import * as z from 'zod';
import type { EngineAuth } from '../../config/engine-auth.ts';

/** The name in the certificate of every engine of our own (server/native/engine/internal/identity). */
const SERVER_NAME = 'engine';

/** What the embedded engine and its clients know each other by, all PEM. */
export const identitySchema = z.object({
  authority: z.string(),
  certificate: z.string(),
  key: z.string(),
});

/** A certificate, the only one of its authority. Its key is the secret: it passes between this process and the engine's by pipe. */
export type EngineIdentity = z.output<typeof identitySchema>;

/** The first line that an engine reads: the identity it had before, or none, so that it makes one. */
export function identityLine(known: EngineIdentity | undefined): string {
  return `${JSON.stringify(known ?? {})}\n`;
}

/** How clients show the identity, and check that the engine has it. */
export function authOf({ authority, certificate: cert, key }: EngineIdentity): EngineAuth {
  return { tls: { ca: authority, client: { cert, key }, serverName: SERVER_NAME } };
}
