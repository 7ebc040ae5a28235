import { chmod, chown, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { ServiceError } from '../../../errors/service-error.ts';
import {
  placesIn,
  removeAbandonedGuests,
  type GuestDirectory,
  type GuestPlaces,
} from '../../guest-directory.ts';
import { isThere } from '../../is-there.ts';
import { guestLimits } from '../../limits.ts';
import type { Logger } from '../../logger.ts';
import { memoryText } from '../memory-text.ts';
import type { Sandbox, SandboxedProcess, SandboxLimits, SandboxSpec } from '../port.ts';
import { GuestCgroup, removeCgroupsOf, type Cgroups } from './cgroups.ts';
import type { Runsc } from './find-runsc.ts';
import { GvisorProcess } from './gvisor-process.ts';
import { GUEST_USER, ociConfig, PRIVATE_FOLDER } from './oci-config.ts';
import {
  cgroupsOfMachine,
  makeStateFolder,
  removeAbandonedState,
  removeState,
  type StateFolder,
} from './state-folder.ts';

/** An image as gVisor needs it. */
export interface ImageRoot {
  /** The folder with its unpacked files. It is ours: runsc makes in it what is missing to mount upon. */
  readonly root: string;
  /** What the image sets, as `PATH=/usr/bin`. */
  readonly env: readonly string[];
}

export interface GvisorOptions {
  readonly runsc: Runsc;
  /** `--rootless`: no privileges are needed or used. */
  readonly isRootless: boolean;
  /** The host's network, instead of none. */
  readonly hasNetwork: boolean;
  readonly limits: SandboxLimits;
  /** Rejects with a sentence when there is no such image. */
  readonly rootOf: (image: string) => Promise<ImageRoot>;
  readonly logger: Logger;
  readonly noteMs?: number;
}

/**
 * Guests in gVisor, each in a sandbox of its own, without Docker: `--sandbox gvisor`. Rejects with `guest_unavailable`
 * when it can't be as asked.
 */
export async function openGvisor(options: GvisorOptions): Promise<GvisorSandbox> {
  const { isRootless, limits } = options;
  if (!isRootless && process.getuid?.() !== 0) {
    throw unavailable('gVisor with --rootless=false needs a service that runs as root.');
  }
  const folder = await makeStateFolder();
  const cgroups = await usableCgroups(path.basename(folder.path), limits);
  const areAsked = limits.memoryBytes !== undefined || limits.cpus !== undefined;
  if (cgroups === undefined && areAsked && !isRootless) {
    await folder.remove();
    throw unavailable('Memory and cpu cannot be limited: the service can make no cgroups here.');
  }
  return new GvisorSandbox(options, folder, cgroups);
}

/** Undefined where this user may make none. */
async function usableCgroups(service: string, limits: SandboxLimits): Promise<Cgroups | undefined> {
  const cgroups = await cgroupsOfMachine();
  if (cgroups === undefined) return undefined;
  try {
    const probe = await GuestCgroup.make(cgroups, `${service}/probe`, limits);
    await probe.remove();
    return cgroups;
  } catch {
    return undefined;
  }
}

/** See `openGvisor`. */
export class GvisorSandbox implements Sandbox {
  readonly kind = 'gvisor';
  /** What does not hold here, in one sentence for the start of the service. */
  readonly notice: string | undefined;
  readonly #options: GvisorOptions;
  readonly #folder: StateFolder;
  readonly #cgroups: Cgroups | undefined;
  #guests = 0;

  constructor(options: GvisorOptions, folder: StateFolder, cgroups: Cgroups | undefined) {
    this.#options = options;
    this.#folder = folder;
    this.#cgroups = cgroups;
    this.notice =
      cgroups === undefined
        ? 'gVisor does not limit memory and cpu of guests here: this user can make no cgroups.'
        : undefined;
  }

  placesOf(): GuestPlaces {
    return placesIn(PRIVATE_FOLDER);
  }

  async start({ program, directory }: SandboxSpec, signal: AbortSignal): Promise<SandboxedProcess> {
    const { rootOf, limits, hasNetwork } = this.#options;
    const { image = '', mounts = [] } = program.sandboxed ?? {};
    const { root, env } = await rootOf(image);
    const missing = await firstMissing([root, ...mounts.map(({ from }) => from)]);
    if (missing === root) throw unavailable(`The image ${image} is not unpacked on this machine.`);
    if (missing !== undefined) {
      this.#options.logger.warn({ folder: missing }, 'a folder that guests need is gone');
      throw unavailable('A folder that the guest needs is gone.');
    }
    const name = `g${(this.#guests += 1)}`;
    const folder = await this.#folder.add(name);
    const user = await shareFolder(directory);
    const config = ociConfig({
      program,
      configFile: this.placesOf().configFile,
      privateFolder: directory.path,
      root,
      imageEnvironment: env,
      user,
      limits,
      hasNetwork,
    });
    await writeFile(path.join(folder, 'config.json'), JSON.stringify(config), { mode: 0o600 });
    signal.throwIfAborted();
    return await this.#run(name, folder);
  }

  async removeAbandoned(): Promise<void> {
    await removeAbandonedState();
    await removeAbandonedGuests();
  }

  async close(): Promise<void> {
    if (this.#cgroups) await removeCgroupsOf(this.#cgroups, this.#service);
    await this.#folder.remove();
  }

  get #service(): string {
    return path.basename(this.#folder.path);
  }

  async #run(name: string, folder: string): Promise<SandboxedProcess> {
    const { runsc, limits, logger, noteMs = guestLimits.noteMs } = this.#options;
    const cgroup =
      this.#cgroups && (await GuestCgroup.make(this.#cgroups, `${this.#service}/${name}`, limits));
    const logFile = path.join(folder, 'log');
    return new GvisorProcess({
      command: runsc.command,
      args: [...this.#flags(folder, logFile), 'run', `--bundle=${folder}`, 'guest'],
      logFile,
      cgroup,
      memory: memoryText(limits.memoryBytes ?? 0),
      noteMs,
      onFailure: (detail) => logger.warn({ reason: detail }, 'gVisor failed'),
      remove: () => removeState(folder),
    });
  }

  #flags(folder: string, logFile: string): string[] {
    const { runsc, isRootless, hasNetwork } = this.#options;
    return [
      // How what a killed service left is found: state-folder.ts.
      `--root=${path.join(folder, 'state')}`,
      `--log=${logFile}`,
      '--log-format=json',
      `--rootless=${isRootless}`,
      '--platform=systrap',
      `--network=${hasNetwork ? 'host' : 'none'}`,
      // The guest connects to the host's socket, and makes its own.
      '--host-uds=all',
      '--overlay2=none',
      // Ours are made before runsc starts: it knows no way to tell that memory ran out.
      '--ignore-cgroups',
      ...(runsc.hasGoferNamespaces ? ['--gofer-network-namespace=new'] : []),
    ];
  }
}

/** Lets the guest's user into its private folder; returns who that is. */
async function shareFolder(directory: GuestDirectory): Promise<number> {
  // Rootless as another user there is no one else to be: within, 0 is that user, without any capability.
  if (process.getuid?.() !== 0) return 0;
  const modes = [
    [directory.path, 0o770],
    [directory.hostSocket, 0o660],
    [directory.configFile, 0o640],
  ] as const;
  for (const [file, mode] of modes) {
    // What only installs packages has no channel to its host.
    if (!(await isThere(file))) continue;
    // Its owner stays the host's user: by that a later host knows the folder as its own.
    await chown(file, 0, GUEST_USER);
    await chmod(file, mode);
  }
  return GUEST_USER;
}

async function firstMissing(files: readonly string[]): Promise<string | undefined> {
  for (const file of files) if (!(await isThere(file))) return file;
  return undefined;
}

function unavailable(sentence: string): ServiceError {
  return new ServiceError('guest_unavailable', sentence);
}
