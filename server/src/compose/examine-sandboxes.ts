/** For doctors: what the sandboxes need of this machine, found as a start finds it. */
import { tmpdir } from 'node:os';

import { loadConfig, type ConfigRequest } from '../config/load-config.ts';
import type { ServiceConfig } from '../config/service-config.ts';
import { isServiceError } from '../errors/service-error.ts';
import { findRunsc } from '../guest/sandbox/gvisor/find-runsc.ts';
import { dockerOf, usualImages } from './open-image-sandbox.ts';

/** What it is, with its version, or one sentence why it can't be used. */
export type SandboxFinding = { readonly version: string } | { readonly problem: string };

export interface SandboxFindings {
  readonly docker: SandboxFinding;
  readonly gvisor: SandboxFinding;
  /** Those of this version that Docker has, and has not; neither where it cannot be asked. */
  readonly images: { readonly there: readonly string[]; readonly missing: readonly string[] };
}

/** Looks at Docker, gVisor and the images in Docker. Nothing is changed, pulled or built. */
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

/** As the environment has it; the agent folder has no say in it. */
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
