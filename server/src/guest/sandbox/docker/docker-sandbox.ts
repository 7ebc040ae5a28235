/*
 * Docker: the guest's stdin is the one attached connection, which ends with the service; containers remove themselves,
 * so an out-of-memory kill is read from the events and not queried afterwards. When the daemon exits, its pending
 * responses never arrive: so the end of the output is watched, and the container is then inspected. A guest that Docker
 * lost ends its runs as INFRA, and is killed if its process is known.
 */
import Docker from 'dockerode';
import { removeAbandonedGuests } from '../../process/guest-directory.ts';
import { isOfLostHost, makeMark } from '../../process/guest-mark.ts';
import { insidePaths } from '../inside.ts';
import type { ImageEntry } from '../image-folder.ts';
import type {
  ImageOptions,
  ImageSandbox,
  SandboxedProcess,
  SandboxImage,
  SandboxLimits,
  SandboxSpec,
} from '../port.ts';
import { sandboxUser, type SandboxUser } from '../../process/owned-folder.ts';
import { handOver, handOverWritable } from '../sandbox-user.ts';
import { inTime, refused, unavailable, unreachable } from './docker-trouble.ts';
import { containerEntries } from './container-entries.ts';
import { containerSettings } from './container-settings.ts';
import { DockerContainer } from './docker-container.ts';
import { dockerSocket } from './docker-endpoint.ts';
import { OwnContainers, removeContainer } from './own-containers.ts';
import {
  type ArchivedImage,
  dockerImage,
  type DockerImage,
  inspectImage,
  loadArchive,
} from './docker-image.ts';
import { daemonInfo, requireFit } from './daemon-info.ts';

export interface DockerSandboxOptions {
  limits: SandboxLimits;
  /** The network of guests. */
  network: 'none' | 'host';
  /** Labels that identify the service to a user who inspects the containers. */
  service: { instance: string; folder: string };
  /** The user's environment, for DOCKER_HOST and the like. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Absent: the daemon pulls images itself. */
  archived?: ArchivedImage;
}

/** The label of a container's service: the mark of its process, as for processes of `--sandbox none`. */
const MARK_LABEL = 'agent-runtime.mark';

/** The time limit for the daemon's response to small requests. */
const ANSWER_MS = 10_000;

/** Guests are containers of the Docker daemon of this machine: `--sandbox docker`. */
export class DockerSandbox implements ImageSandbox {
  readonly kind = 'docker';
  readonly limits: SandboxLimits;
  /** The daemon's version. */
  readonly version: string;
  readonly #docker: Docker;
  readonly #containers: OwnContainers;
  readonly #user: SandboxUser;
  readonly #options: DockerSandboxOptions;
  readonly #volumes = new Map<string, readonly string[]>();

  private constructor(
    docker: Docker,
    { user, version }: { user: SandboxUser; version: string },
    options: DockerSandboxOptions,
  ) {
    this.#docker = docker;
    this.#containers = new OwnContainers(docker);
    this.version = version;
    this.#user = user;
    this.#options = options;
    this.limits = options.limits;
  }

  /** Looks for the daemon; rejects with `guest_unavailable` and one sentence when it can't be used. */
  static async open(options: DockerSandboxOptions): Promise<DockerSandbox> {
    if (process.platform !== 'linux') {
      throw unavailable(
        'The docker sandbox needs Linux: containers in a virtual machine share no sockets with this one.',
      );
    }
    const socketPath = await dockerSocket(options.environment);
    const docker = new Docker({ socketPath });
    const info = await inTime(docker.info(), ANSWER_MS).catch((error: unknown) => {
      throw unreachable(socketPath, error);
    });
    const about = daemonInfo(info);
    const { isRootless } = requireFit(about, socketPath, options.limits);
    // User 0 of a rootless daemon is the daemon's own user outside of the container.
    const user = isRootless ? { uid: 0, gid: 0 } : sandboxUser();
    return new DockerSandbox(docker, { user, version: about.ServerVersion }, options);
  }

  pathsOf(): typeof insidePaths {
    return insidePaths;
  }

  async image(reference: string, options: ImageOptions): Promise<SandboxImage> {
    const { archived } = this.#options;
    const found = await dockerImage(this.#docker, reference, { ...options, archived });
    const { volumes, ...image }: DockerImage = found;
    this.#volumes.set(image.name, volumes);
    return image;
  }

  entries({ name }: SandboxImage, folder: string, signal: AbortSignal): AsyncIterable<ImageEntry> {
    const labels = this.#labels();
    return containerEntries(this.#containers, { image: name, folder, labels, signal });
  }

  /** True when the daemon has the image. Rejects as `image` does. */
  async has(reference: string): Promise<boolean> {
    return (await inspectImage(this.#docker, reference)) !== undefined;
  }

  /** Loads an image into the daemon, replacing one of the same name. Rejects as `image` does. */
  async load(reference: string, options: ImageOptions, archived: ArchivedImage): Promise<void> {
    await archived(reference, options, (archive) => loadArchive(this.#docker, archive));
  }

  async start({ program, directory }: SandboxSpec): Promise<SandboxedProcess> {
    const { sandboxed, language } = program;
    if (!sandboxed) throw new Error('The program is made for no sandbox.');
    const { limits, network } = this.#options;
    const what = `The ${language} guest could not be started`;
    await handOver(directory, this.#user);
    await handOverWritable(sandboxed.mounts, this.#user);
    const volumes = this.#volumes.get(sandboxed.image) ?? [];
    const labels = { ...this.#labels(), 'agent-runtime.language': language };
    const settings = { program, sandboxed, directory, limits, network, labels, volumes };
    const own = await this.#containers
      .create(containerSettings({ ...settings, user: this.#user }))
      .catch((error: unknown) => {
        throw refused(what, error);
      });
    const { memoryBytes } = limits;
    return await DockerContainer.start(own, {
      docker: this.#docker,
      what,
      ...(memoryBytes !== undefined && { memoryBytes }),
    });
  }

  async removeAbandoned(): Promise<void> {
    try {
      const filters = { label: [MARK_LABEL] };
      const containers = await this.#docker.listContainers({ all: true, filters });
      const lost = containers.filter(({ Labels }) => isOfLostHost(Labels[MARK_LABEL] ?? ''));
      await Promise.all(
        lost.map(({ Id }) => removeContainer(this.#docker, Id).catch(() => undefined)),
      );
    } catch {
      // The start of the first guest reports what is wrong with the daemon.
    }
    await removeAbandonedGuests();
  }

  close(): Promise<void> {
    return this.#containers.close();
  }

  #labels(): Record<string, string> {
    const { instance, folder } = this.#options.service;
    return {
      [MARK_LABEL]: makeMark(),
      'agent-runtime.instance': instance,
      'agent-runtime.folder': folder,
    };
  }
}
