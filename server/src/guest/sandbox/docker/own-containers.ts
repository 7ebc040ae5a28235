import { randomUUID } from 'node:crypto';
import type Docker from 'dockerode';
import { inTime, statusOf, within } from './docker-trouble.ts';

/** Which sandbox a container belongs to. One process may have several. */
const SANDBOX_LABEL = 'agent-runtime.sandbox';
/** The daemon lists them at once, or not at all. */
const ANSWER_MS = 10_000;
/** For the daemon to end and remove one. */
const REMOVAL_MS = 30_000;

/**
 * The containers of one sandbox. A daemon that is killed while it makes or removes a container may keep one that nobody
 * was told of: it is found by its label, and removed before the next one is made and at the end.
 */
export class OwnContainers {
  readonly #docker: Docker;
  readonly #id = randomUUID();
  /** Chosen before they are made. */
  readonly #names = new Set<string>();
  #mayHaveStrays = false;

  constructor(docker: Docker) {
    this.#docker = docker;
  }

  /** Rejects with what the daemon says. */
  async create(options: Docker.ContainerCreateOptions): Promise<OwnContainer> {
    if (this.#mayHaveStrays) await this.#removeStrays().catch(() => undefined);
    const name = `agent-runtime-${randomUUID()}`;
    const Labels = { ...options.Labels, [SANDBOX_LABEL]: this.#id };
    this.#names.add(name);
    try {
      const container = await this.#docker.createContainer({ ...options, name, Labels });
      return { container, remove: () => this.#remove(container.id, name) };
    } catch (error) {
      this.#forget(name);
      throw error;
    }
  }

  /** Removes what is left. Never rejects: without its daemon, the next service on this machine does it. */
  async close(): Promise<void> {
    this.#names.clear();
    await within(this.#removeStrays(), REMOVAL_MS);
  }

  async #remove(id: string, name: string): Promise<void> {
    try {
      await removeContainer(this.#docker, id);
      this.#names.delete(name);
    } catch {
      this.#forget(name);
    }
  }

  #forget(name: string): void {
    this.#names.delete(name);
    this.#mayHaveStrays = true;
  }

  async #removeStrays(): Promise<void> {
    const filters = { label: [`${SANDBOX_LABEL}=${this.#id}`] };
    const found = await inTime(this.#docker.listContainers({ all: true, filters }), ANSWER_MS);
    const strays = found.filter(
      ({ Names }) => !Names.some((name) => this.#names.has(name.slice(1))),
    );
    await Promise.all(strays.map(({ Id }) => removeContainer(this.#docker, Id)));
    this.#mayHaveStrays = false;
  }
}

export interface OwnContainer {
  readonly container: Docker.Container;
  /** Ends it, if need be, and removes it. Never rejects. */
  remove(): Promise<void>;
}

/** Resolves also when it is gone, or going by itself. */
export async function removeContainer(docker: Docker, id: string): Promise<void> {
  await docker
    .getContainer(id)
    .remove({ force: true, v: true })
    .catch((error: unknown) => {
      // 404 and 409.
      if (![404, 409].includes(statusOf(error) ?? 0)) throw error;
    });
}
