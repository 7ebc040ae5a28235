import { randomUUID } from 'node:crypto';
import type Docker from 'dockerode';
import { inTime, statusOf, within } from './docker-trouble.ts';

/** The label of a container's sandbox. One process may have several sandboxes. */
const SANDBOX_LABEL = 'agent-runtime.sandbox';
/** The time limit for the daemon's list of containers. */
const ANSWER_MS = 10_000;
/** For the daemon to end and remove a container. */
const REMOVAL_MS = 30_000;

/**
 * The containers of one sandbox. A daemon that is killed while it creates or removes a container may keep one that the
 * service does not know: it is found by its label, and removed before the next creation and at the end.
 */
export class OwnContainers {
  readonly #docker: Docker;
  readonly #id = randomUUID();
  /** Names of our containers, chosen before their creation. */
  readonly #names = new Set<string>();
  #mayHaveStrays = false;

  constructor(docker: Docker) {
    this.#docker = docker;
  }

  /** Rejects with the daemon's error. */
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

  /** Removes remaining containers. Never rejects: if the daemon is unavailable, the next service removes them. */
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
  /** Ends it if needed, and removes it. Never rejects. */
  remove(): Promise<void>;
}

/** Resolves also when it has been removed, or is being removed. */
export async function removeContainer(docker: Docker, id: string): Promise<void> {
  await docker
    .getContainer(id)
    .remove({ force: true, v: true })
    .catch((error: unknown) => {
      // 404: already removed; 409: being removed.
      if (![404, 409].includes(statusOf(error) ?? 0)) throw error;
    });
}
