/*
 * Docker: the guest's stdin is the one attached connection, which ends with the service; containers remove themselves,
 * so the kernel's out-of-memory kill is taken from the events and not asked for afterwards. An answer that the daemon
 * owes when it ends never comes: the end of the output is what is watched, then it is asked again. A guest that Docker
 * lost is INFRA, and is killed where its process is known.
 */
import Docker from 'dockerode';
import { removeAbandonedGuests } from '../../process/guest-directory.ts';
import { isOfLostHost, makeMark } from '../../process/guest-mark.ts';
import { insidePlaces } from '../inside.ts';
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
  /** What guests may reach. */
  network: 'none' | 'host';
  /** For people who look at the containers. */
  service: { instance: string; folder: string };
  /** Where DOCKER_HOST and the like are looked for: the user's. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Absent: the daemon pulls images by itself. */
  archived?: ArchivedImage;
}

/** Which service a container belongs to: the mark of its process, as processes of `--sandbox none` have it. */
const MARK_LABEL = 'agent-runtime.mark';

/** The daemon responds to small requests at once, or not at all. */
const ANSWER_MS = 10_000;

/** Guests are containers of the Docker daemon of this machine: `--sandbox docker`. */
export class DockerSandbox implements ImageSandbox {
  readonly kind = 'docker';
  readonly limits: SandboxLimits;
  /** Of the daemon. */
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
    // A daemon without root's rights has one user, who is its own: that is nobody else outside.
    const user = isRootless ? { uid: 0, gid: 0 } : sandboxUser();
    return new DockerSandbox(docker, { user, version: about.ServerVersion }, options);
  }

  placesOf(): typeof insidePlaces {
    return insidePlaces;
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

  /** Gives the daemon an image, in place of one that has the same name there. Rejects as `image` does. */
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
      // The start of the first guest says what is wrong with the daemon.
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
