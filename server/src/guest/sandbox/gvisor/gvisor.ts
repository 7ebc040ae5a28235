/*
 * gVisor: `runsc run` in the foreground with our own OCI bundle for each guest. Its pipes are the guest's, and the
 * sandbox ends with it. It passes no signals on, so the end of stdin stops a guest. We create the cgroups
 * (`cgroups.ts`) instead of runsc, which removes its own before an out-of-memory kill could be read; a shell enters
 * them and then executes runsc. RLIMIT_NPROC limits processes, which gVisor's kernel enforces with and without cgroups.
 *
 * The sandbox's processes clear their environment, so leftovers of a killed service are identified by the state folder
 * in their arguments (`state-folder.ts`), which has the service's mark. `find-runsc.ts` checks the flags of a runsc,
 * since one that Go installed has no version.
 */
import { writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import path from 'node:path';
import { ServiceError } from '../../../errors/service-error.ts';
import { removeAbandonedGuests } from '../../process/guest-directory.ts';
import { isThere } from '../../process/executable.ts';
import { guestLimits } from '../../limits.ts';
import type { Logger } from '../../port.ts';
import { byteText, requireRoom } from '../machine-room.ts';
import type { ImageEntry } from '../image-folder.ts';
import { insidePaths } from '../inside.ts';
import type {
  ImageOptions,
  ImageSandbox,
  SandboxedProcess,
  SandboxImage,
  SandboxLimits,
  SandboxSpec,
} from '../port.ts';
import { sandboxUser } from '../../process/owned-folder.ts';
import { handOver, handOverWritable } from '../sandbox-user.ts';
import { type Cgroups, GuestCgroup, removeCgroupsOf } from './cgroups.ts';
import type { Runsc } from './find-runsc.ts';
import { GvisorProcess } from './gvisor-process.ts';
import { ociConfig } from './oci-config.ts';
import { type ImageRoot, rootEntries } from './root-of-folder.ts';
import {
  cgroupsOfMachine,
  makeStateFolder,
  removeAbandonedState,
  removeState,
  type StateFolder,
} from './state-folder.ts';

export interface GvisorOptions {
  readonly runsc: Runsc;
  /** `--rootless`: no privileges are needed or used. */
  readonly isRootless: boolean;
  /** The network of guests. */
  readonly network: 'none' | 'host';
  readonly limits: SandboxLimits;
  /** Fetches the image if needed. Rejects with `guest_unavailable` and a sentence when it is unavailable. */
  readonly rootOf: (image: string, options: ImageOptions) => Promise<ImageRoot>;
  readonly logger: Logger;
  readonly noteMs?: number;
}

/**
 * Guests in gVisor, each in its own sandbox, without Docker: `--sandbox gvisor`. Rejects with `guest_unavailable` when
 * the options cannot be fulfilled.
 */
export async function openGvisor(options: GvisorOptions): Promise<GvisorSandbox> {
  const { isRootless, limits } = options;
  if (!isRootless && process.getuid?.() !== 0) {
    throw unavailable('gVisor with --rootless=false needs a service that runs as root.');
  }
  requireRoom(limits, { cpus: cpus().length, memoryBytes: totalmem() });
  const folder = await makeStateFolder();
  const cgroups = await usableCgroups(path.basename(folder.path), limits);
  if (cgroups === undefined && areLimited(limits) && !isRootless) {
    await folder.remove();
    throw unavailable('Memory and cpu cannot be limited: the service can make no cgroups here.');
  }
  return new GvisorSandbox(options, folder, cgroups);
}

/** True for limits that only cgroups can enforce. */
function areLimited({ memoryBytes, cpus: count }: SandboxLimits): boolean {
  return memoryBytes !== undefined || count !== undefined;
}

const NO_CGROUPS = '--memory and --cpu have no effect: this user cannot create cgroups.';

/** Undefined if this user may not create any. */
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

/** Docker's default for images without a PATH. */
const DEFAULT_PATH = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** See `openGvisor`. */
export class GvisorSandbox implements ImageSandbox {
  readonly kind = 'gvisor';
  readonly limits: SandboxLimits;
  readonly notice?: string;
  readonly #options: GvisorOptions;
  readonly #folder: StateFolder;
  /** The folder with the unpacked files of each requested image. */
  readonly #roots = new Map<string, string>();
  readonly #cgroups: Cgroups | undefined;
  #guests = 0;

  constructor(options: GvisorOptions, folder: StateFolder, cgroups: Cgroups | undefined) {
    this.#options = options;
    this.#folder = folder;
    this.#cgroups = cgroups;
    const { memoryBytes: _, cpus: __, ...withoutCgroups } = options.limits;
    this.limits = cgroups === undefined ? withoutCgroups : options.limits;
    if (cgroups === undefined && areLimited(options.limits)) this.notice = NO_CGROUPS;
  }

  pathsOf(): typeof insidePaths {
    return insidePaths;
  }

  async image(reference: string, options: ImageOptions): Promise<SandboxImage> {
    const { root, env, id } = await this.#options.rootOf(reference, options);
    this.#roots.set(reference, root);
    const variables = [DEFAULT_PATH, ...env].map((line): [string, string] => {
      const [name = ''] = line.split('=', 1);
      return [name, line.slice(name.length + 1)];
    });
    return {
      name: reference,
      id,
      platform: `linux/${process.arch === 'x64' ? 'amd64' : process.arch}`,
      environment: Object.fromEntries(variables),
    };
  }

  entries({ name }: SandboxImage, folder: string): AsyncIterable<ImageEntry> {
    const root = this.#roots.get(name);
    if (root === undefined) throw unavailable(`There is no image ${name}.`);
    return rootEntries(root, folder);
  }

  async start({ program, directory }: SandboxSpec, signal: AbortSignal): Promise<SandboxedProcess> {
    const { sandboxed } = program;
    if (!sandboxed) throw new Error('The program is made for no sandbox.');
    const { limits, network } = this.#options;
    const { image, mounts } = sandboxed;
    const root = this.#roots.get(image);
    if (root === undefined) throw unavailable(`There is no image ${image}.`);
    await this.#requireAll([root, ...mounts.map(({ from }) => from)]);
    const user = sandboxUser();
    await handOver(directory, user);
    await handOverWritable(mounts, user);
    const name = `g${(this.#guests += 1)}`;
    const folder = await this.#folder.add(name);
    const hasNetwork = (sandboxed.network ?? network) === 'host';
    const config = ociConfig({
      program,
      mounts,
      configFile: insidePaths.configFile,
      privateFolder: directory.shared,
      root,
      // Without root only one user is available: 0 within, which is the service's user outside.
      user: process.getuid?.() === 0 ? user : { uid: 0, gid: 0 },
      limits,
      hasNetwork,
    });
    await writeFile(path.join(folder, 'config.json'), JSON.stringify(config), { mode: 0o600 });
    signal.throwIfAborted();
    return await this.#run(name, folder, hasNetwork);
  }

  /** Checks that the files exist: runsc's own message would reveal paths of this machine. */
  async #requireAll(files: readonly string[]): Promise<void> {
    for (const file of files) {
      if (await isThere(file)) continue;
      this.#options.logger.warn({ path: file }, 'what guests in gVisor need is gone');
      throw unavailable('A folder that the guest needs is gone; restart the service.');
    }
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

  async #run(name: string, folder: string, hasNetwork: boolean): Promise<SandboxedProcess> {
    const { runsc, limits, logger, noteMs = guestLimits.noteMs } = this.#options;
    const cgroup =
      this.#cgroups && (await GuestCgroup.make(this.#cgroups, `${this.#service}/${name}`, limits));
    const logFile = path.join(folder, 'log');
    return new GvisorProcess({
      command: runsc.command,
      args: [...this.#flags(folder, logFile, hasNetwork), 'run', `--bundle=${folder}`, 'guest'],
      logFile,
      cgroup,
      memory: byteText(limits.memoryBytes ?? 0),
      noteMs,
      onFailure: (detail) => logger.warn({ reason: detail }, 'gVisor failed'),
      remove: () => removeState(folder),
    });
  }

  #flags(folder: string, logFile: string, hasNetwork: boolean): string[] {
    const { runsc, isRootless } = this.#options;
    return [
      // Identifies leftovers of a killed service: state-folder.ts.
      `--root=${path.join(folder, 'state')}`,
      `--log=${logFile}`,
      '--log-format=json',
      `--rootless=${isRootless}`,
      '--platform=systrap',
      `--network=${hasNetwork ? 'host' : 'none'}`,
      // The guest connects to the host's sockets, and creates none outside of the sandbox.
      '--host-uds=open',
      '--overlay2=none',
      // We create cgroups before runsc starts, since it cannot report an out-of-memory kill.
      '--ignore-cgroups',
      ...(runsc.hasGoferNamespaces ? ['--gofer-network-namespace=new'] : []),
    ];
  }
}

function unavailable(sentence: string): ServiceError {
  return new ServiceError('guest_unavailable', sentence);
}
