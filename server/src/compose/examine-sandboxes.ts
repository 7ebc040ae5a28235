/** Diagnostics: checks the sandboxes' requirements on this machine with the code of the start. */
import { tmpdir } from 'node:os';

import { loadConfig, type ConfigRequest } from '../config/load-config.ts';
import type { ServiceConfig } from '../config/service-config.ts';
import { isServiceError } from '../errors/service-error.ts';
import { findRunsc } from '../guest/sandbox/gvisor/find-runsc.ts';
import { dockerOf, usualImages } from './open-image-sandbox.ts';

/** Its version, or one sentence why it cannot be used. */
export type SandboxFinding = { readonly version: string } | { readonly problem: string };

export interface SandboxFindings {
  readonly docker: SandboxFinding;
  readonly gvisor: SandboxFinding;
  /** This version's images that Docker has, and those that it lacks; both empty when Docker is unavailable. */
  readonly images: { readonly there: readonly string[]; readonly missing: readonly string[] };
}

/** Checks Docker, gVisor and the images in Docker. It changes, pulls and builds nothing. */
export async function examineSandboxes(
  environment: ConfigRequest['environment'],
): Promise<SandboxFindings> {
  const [docker, gvisor] = await Promise.all([ofDocker(environment), ofGvisor(environment)]);
  return { ...docker, gvisor };
}

async function ofDocker(
  environment: ConfigRequest['environment'],
): Promise<Pick<SandboxFindings, 'docker' | 'images'>> {
  const images = { there: [] as string[], missing: [] as string[] };
  const docker = await found(async () => {
    const config = configOf('docker', environment);
    const { container } = config.guest;
    if (container === undefined) throw new Error('The configuration has no sandbox.');
    const daemon = await dockerOf(config, container, 'examining-sandboxes');
    for (const image of Object.values(usualImages)) {
      const isThere = await daemon.has(image);
      (isThere ? images.there : images.missing).push(image);
    }
    return { version: `Docker Engine ${daemon.version}` };
  });
  return { docker, images };
}

function ofGvisor(environment: ConfigRequest['environment']): Promise<SandboxFinding> {
  return found(async () => {
    const { userEnvironment, container } = configOf('gvisor', environment).guest;
    const finding = await findRunsc(userEnvironment, container?.gvisor?.runsc);
    if ('problem' in finding) return { problem: finding.problem };
    const { command, version } = finding.runsc;
    return { version: `runsc, ${version} (${command})` };
  });
}

/** The configuration from the environment alone, without an agent folder. */
function configOf(sandbox: string, environment: ConfigRequest['environment']): ServiceConfig {
  const folder = tmpdir();
  const flags = new Map([['guest.sandbox', sandbox]]);
  return loadConfig({ fallbackPath: folder, workingDir: folder, environment, flags }).config;
}

async function found(look: () => Promise<SandboxFinding>): Promise<SandboxFinding> {
  try {
    return await look();
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return { problem: error.message };
  }
}
