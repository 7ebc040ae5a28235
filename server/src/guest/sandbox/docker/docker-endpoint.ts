import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';

import * as z from 'zod';

import { unavailable } from './docker-trouble.ts';

const DEFAULT_SOCKET = '/var/run/docker.sock';

const configSchema = z.object({ currentContext: z.string().optional() });
const contextSchema = z.object({
  Endpoints: z.object({ docker: z.object({ Host: z.string() }) }),
});

/**
 * The socket of the Docker daemon as the `docker` command finds it: DOCKER_HOST, the context of DOCKER_CONTEXT or of
 * `docker context use`, then the default socket. Rejects with `guest_unavailable` for a daemon of another machine:
 * guests share sockets and folders with the service.
 */
export async function dockerSocket(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const { DOCKER_HOST: named = '' } = environment;
  if (named !== '') return socketOf(named, 'DOCKER_HOST');
  const folder =
    environment['DOCKER_CONFIG'] ?? path.join(environment['HOME'] ?? homedir(), '.docker');
  const context = environment['DOCKER_CONTEXT'] || (await currentContext(folder));
  if (context === undefined || context === 'default') return DEFAULT_SOCKET;
  const hash = createHash('sha256').update(context).digest('hex');
  try {
    const text = await readFile(path.join(folder, 'contexts/meta', hash, 'meta.json'), 'utf8');
    const { Endpoints } = contextSchema.parse(JSON.parse(text));
    return socketOf(Endpoints.docker.Host, `the Docker context ${context}`);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'guest_unavailable')
      throw error;
    throw unavailable(
      `There is no Docker context ${context}; \`docker context ls\` lists them.`,
      error,
    );
  }
}

function socketOf(host: string, who: string): string {
  const socket = /^unix:\/\/(\/.*)?$/.exec(host);
  if (socket) return socket[1] ?? DEFAULT_SOCKET;
  throw unavailable(
    `The docker sandbox needs a Docker daemon of this machine, reached by a socket (unix://…); ${who} is ${withoutUser(host)}.`,
  );
}

function withoutUser(host: string): string {
  return host.replace(/\/\/[^/@]*@/, '//');
}

async function currentContext(folder: string): Promise<string | undefined> {
  try {
    const text = await readFile(path.join(folder, 'config.json'), 'utf8');
    return configSchema.parse(JSON.parse(text)).currentContext;
  } catch {
    return undefined; // no context was chosen
  }
}
