import type { Engine } from '../engine/engine.ts';
import type { RunUuid, ThreadId } from '../model/ids.ts';
import type { Principal } from '../model/principal.ts';
import type { ThreadView } from '../model/thread/thread.ts';
import type { PolicyPort } from '../policy/port.ts';
import { requirePermission, requirePermissionInThread } from '../policy/require-permission.ts';
import { stateResource, threadResource } from '../policy/resources.ts';
import type { HistoryRecorderPort } from './run-service.ts';
import { givenMetadata, metadataStrings } from './metadata-strings.ts';

/** What an import has stored. */
export interface ImportedCounts {
  runs: number;
  checkpoints: number;
  /** Runs that had not ended and were cancelled. */
  endedRuns: number;
  /** A description of what was left out so that the thread fits. */
  leftOut?: string;
}

/** A bundle that has arrived completely and holds one thread. */
export interface ReceivedBundle {
  threadId: ThreadId;
  /** `thread_exists`, `checkpoint_too_large`. */
  take(options: { as: ThreadId; owner: string }): Promise<ImportedCounts>;
}

/** Bundles out of and into this service (docs/bundle-format.md). */
export interface BundlePort {
  /**
   * The packed file of a thread, exported for a principal; with `runUuid` also that run's events and output.
   * `thread_busy`.
   */
  give(
    threadId: ThreadId,
    options: { runUuid?: RunUuid; principal: Principal; signal: AbortSignal },
  ): AsyncIterable<Uint8Array>;
  /**
   * Receives a packed file, checks its size, and deletes it afterwards. `bundle_invalid`, `payload_too_large`,
   * `too_many_imports`.
   */
  receive<T>(
    chunks: AsyncIterable<Uint8Array>,
    work: (bundle: ReceivedBundle) => Promise<T>,
  ): Promise<T>;
}

/** What the service needs. */
export interface BundleServicePorts {
  engine: Engine;
  policy: PolicyPort;
  bundles: BundlePort;
  history?: { recorder: HistoryRecorderPort } | undefined;
}

/** Bundles as requests use them. */
export class BundleService {
  readonly #ports: BundleServicePorts;

  constructor(ports: BundleServicePorts) {
    this.#ports = ports;
  }

  /** Resolves once the thread, and the run if one is named, are known to exist. */
  async export(
    principal: Principal,
    threadId: ThreadId,
    options: { runUuid?: RunUuid; signal: AbortSignal },
  ): Promise<AsyncIterable<Uint8Array>> {
    // A caller who may not read the state gets no bundle of it either.
    for (const [operation, resource] of [
      ['service:bundle:export', threadResource(threadId)],
      ['service:state:read', stateResource(threadId)],
    ] as const) {
      await requirePermissionInThread(this.#ports, threadId, { principal, operation, resource });
    }
    if (options.runUuid !== undefined)
      await this.#ports.engine.runs.read(threadId, options.runUuid);
    return this.#ports.bundles.give(threadId, { ...options, principal });
  }

  async import(
    principal: Principal,
    chunks: AsyncIterable<Uint8Array>,
    { threadId }: { threadId?: ThreadId },
  ): Promise<{ thread: ThreadView; imported: ImportedCounts }> {
    const operation = 'service:bundle:import';
    await requirePermission(this.#ports.policy, {
      principal,
      operation,
      resource: threadResource('*'),
    });
    return this.#ports.bundles.receive(chunks, async (bundle) => {
      const target = threadId ?? bundle.threadId;
      const resource = threadResource(target, principal.sub);
      const { given } = await requirePermission(this.#ports.policy, {
        principal,
        operation: 'service:thread:create',
        resource,
        given: { thread_id: target, metadata: {}, if_exists: 'raise' },
      });
      const stamped = metadataStrings(givenMetadata(given, {}));
      const imported = await bundle.take({ as: target, owner: principal.sub });
      // Handlers filter threads by the metadata that they stamp, so the stamp must replace what the file contains.
      if (Object.keys(stamped).length > 0)
        await this.#ports.engine.threads.patchMetadata(target, stamped);
      const thread = await this.#ports.engine.threads.read(target);
      this.#ports.history?.recorder.threadSeen(target, thread.updatedAt);
      return { thread, imported };
    });
  }
}
