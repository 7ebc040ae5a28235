import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type Docker from 'dockerode';
import { inTime, statusOf, within } from './docker-trouble.ts';

/** The label of a container's sandbox. One process may have several sandboxes. */
const SANDBOX_LABEL = 'agent-runtime.sandbox';
/** The time limit for the daemon's list of containers. */
const ANSWER_MS = 10_000;
/** For the daemon to end and remove a container. */
const REMOVAL_MS = 30_000;
/** How long the daemon is asked again when it refuses to remove a container. */
const REFUSED_MS = 10_000;
/** Between two attempts to remove the containers that remain at the end. */
const RETRY_MS = 200;

/**
 * The containers of one sandbox. A daemon that is killed while it creates or removes a container may keep one that the
 * service does not know: it is found by its label, and removed before the next creation and at the end. So is one whose
 * removal the daemon had already begun (409): after a restart the daemon may fail to complete it, and then keeps it.
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
    await within(this.#removeAll(), REMOVAL_MS);
  }

  async #removeAll(): Promise<void> {
    const end = performance.now() + REFUSED_MS;
    while (!(await this.#removeStrays()) && performance.now() < end) await delay(RETRY_MS);
  }

  async #remove(id: string, name: string): Promise<void> {
    try {
      const isGone = await removeContainer(this.#docker, id);
      if (!isGone) this.#mayHaveStrays = true;
      this.#names.delete(name);
    } catch {
      this.#forget(name);
    }
  }

  #forget(name: string): void {
    this.#names.delete(name);
    this.#mayHaveStrays = true;
  }

  /**
   * True when none is left, whatever the daemon's list has: one that was killed may list a removed container until its
   * next start. Rejects when the daemon cannot be reached.
   */
  async #removeStrays(): Promise<boolean> {
    const strays = await this.#strays();
    const gone = await Promise.all(
      strays.map((id) => removeContainer(this.#docker, id).catch(unlessRefused)),
    );
    this.#mayHaveStrays = gone.includes(false);
    return !this.#mayHaveStrays;
  }

  /** Ids of containers of this sandbox that the service does not use. */
  async #strays(): Promise<string[]> {
    const filters = { label: [`${SANDBOX_LABEL}=${this.#id}`] };
    const found = await inTime(this.#docker.listContainers({ all: true, filters }), ANSWER_MS);
    return found
      .filter(({ Names }) => !Names.some((name) => this.#names.has(name.slice(1))))
      .map(({ Id }) => Id);
  }
}

export interface OwnContainer {
  readonly container: Docker.Container;
  /** Ends it if needed, and removes it. Never rejects. */
  remove(): Promise<void>;
}

/**
 * Ends a container if needed, and removes it. Resolves with true when the daemon no longer has it, and with false when
 * the daemon was already removing it, which may still fail.
 */
export async function removeContainer(docker: Docker, id: string): Promise<boolean> {
  try {
    await docker.getContainer(id).remove({ force: true, v: true });
    return true;
  } catch (error) {
    const status = statusOf(error);
    if (status === 404) return true;
    if (status === 409) return false;
    throw error;
  }
}

/** False when the daemon refused it, and may be asked again. Throws the error when it cannot be reached. */
function unlessRefused(error: unknown): boolean {
  if (statusOf(error) === undefined) throw error;
  return false;
}
