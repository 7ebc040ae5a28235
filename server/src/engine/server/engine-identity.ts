/*
 * Who reaches it. Loopback is open to every user of the machine, and who starts a workflow there runs code as the
 * service's user, past OIDC, client certificates and the service token. So the embedded engine has one port, that of
 * its front end, and it speaks mutual TLS with one certificate, the only one of an authority made for it
 * (`native/engine/internal/identity`). The engine makes both in a millisecond when it starts and says it in its ready
 * line; the supervisor keeps it in memory and writes it as the first line of the next engine's standard input, so
 * clients stay connected through a crash. It passes by these two pipes alone: no file, command line, environment or
 * log has it. An API key would be told to whoever takes the port while the engine is away; this way our clients know
 * the engine, too.
 *
 * History and matching ask nobody who calls, so they have no port: the services reach each other within the process
 * (`internal/server/in_process.go`). There is no listener for metrics, profiling, a page or membership.
 *
 * After `kill -9` nothing is taken over: the engine ends with its parent, the next start waits for the database and
 * makes a certificate of its own. `temporal` on PATH and the downloaded command line have no such door: a start with
 * one of them warns, and where callers must show credentials (OIDC, verified client certificates, the manifest's
 * `auth`, a service token) it is not taken.
 */
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
