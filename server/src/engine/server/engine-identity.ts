/*
 * Access to the engine. Loopback is open to every user of the machine, and any process that starts a workflow there
 * runs code as the service's user, past OIDC, client certificates and the service token. So the embedded engine has one
 * port, that of its front end, and it speaks mutual TLS with one certificate, the only one of an authority made for it
 * (`native/engine/internal/identity`). The engine makes both in a millisecond when it starts and writes them in its
 * ready line; the supervisor keeps them in memory and writes them as the first line of the next engine's standard
 * input, so clients stay connected through a crash. They pass through these two pipes alone, never through a file, a
 * command line, the environment or a log. An API key would be sent to any process that takes the port while the engine
 * is down; mutual TLS also authenticates the engine to our clients.
 *
 * History and matching do not authenticate callers, so they have no port: the services reach each other within the
 * process (`internal/server/in_process.go`). There is no listener for metrics, profiling, a page or membership.
 *
 * After `kill -9` nothing is reused: the engine ends with its parent, the next start waits for the database and makes
 * its own certificate. `temporal` on PATH and the downloaded command line have no such protection: a start with one of
 * them warns, and where callers must show credentials (OIDC, verified client certificates, the manifest's `auth`, a
 * service token) it is not used.
 */
import * as z from 'zod';
import type { EngineAuth } from '../../config/engine-auth.ts';

/** The server name in the certificate of every embedded engine (server/native/engine/internal/identity). */
const SERVER_NAME = 'engine';

/** What the embedded engine and its clients authenticate each other with, all PEM. */
export const identitySchema = z.object({
  authority: z.string(),
  certificate: z.string(),
  key: z.string(),
});

/** A certificate, the only one of its authority. Its key is secret: only the pipes to and from the engine carry it. */
export type EngineIdentity = z.output<typeof identitySchema>;

/** The first line that an engine reads: its previous identity, or an empty object, so that it makes one. */
export function identityLine(known: EngineIdentity | undefined): string {
  return `${JSON.stringify(known ?? {})}\n`;
}

/** The TLS settings with which clients present the identity and verify that the engine has it. */
export function authOf({ authority, certificate: cert, key }: EngineIdentity): EngineAuth {
  return { tls: { ca: authority, client: { cert, key }, serverName: SERVER_NAME } };
}
