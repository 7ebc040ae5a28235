import type {
  Blob,
  CheckpointMessage,
  ListRequest,
  LoadRequest,
  Write,
  WritesMessage,
} from '../src/wire.ts';

type Saved = Omit<CheckpointMessage, 'blobs'>;

/** Checkpoints the way the contract describes them: skeletons, and a blob for every channel version. */
export class MemoryCheckpoints {
  readonly #saved = new Map<string, Saved>();
  readonly #blobs = new Map<string, Blob>();
  readonly #writes = new Map<string, Map<string, Write>>();

  save({ blobs, ...saved }: CheckpointMessage): void {
    this.#saved.set(keyOf(saved), saved);
    for (const blob of blobs) this.#blobs.set(blobKey(saved, blob.channel, blob.version), blob);
  }

  saveWrites(message: WritesMessage, runId = ''): void {
    const key = keyOf(message);
    const writes = this.#writes.get(key) ?? new Map<string, Write>();
    this.#writes.set(key, writes);
    for (const write of message.writes) {
      const writeKey = `${message.taskId} ${write.index}`;
      if (write.index >= 0 && writes.has(writeKey)) continue;
      writes.set(writeKey, { ...write, runId });
    }
  }

  load(request: LoadRequest): CheckpointMessage | undefined {
    const candidates = [...this.#saved.values()].filter(
      (saved) =>
        saved.threadId === request.threadId &&
        saved.checkpointNs === request.checkpointNs &&
        (request.checkpointId === '' || saved.checkpointId === request.checkpointId),
    );
    const newest = candidates.sort(newestFirst)[0];
    return newest === undefined ? undefined : this.#complete(newest);
  }

  list(request: ListRequest, runId?: string): CheckpointMessage[] {
    const filter = Object.entries(
      JSON.parse(request.filterJson === '' ? '{}' : request.filterJson) as Record<string, unknown>, // an object
    );
    const found = [...this.#saved.values()].filter((saved) => {
      const metadata = JSON.parse(saved.metadataJson) as Record<string, unknown>; // an object
      return (
        (request.threadId === undefined || saved.threadId === request.threadId) &&
        (request.checkpointNs === undefined || saved.checkpointNs === request.checkpointNs) &&
        (request.checkpointId === '' || saved.checkpointId === request.checkpointId) &&
        (request.beforeCheckpointId === '' || saved.checkpointId < request.beforeCheckpointId) &&
        filter.every(([key, value]) => metadata[key] === value)
      );
    });
    const limit = request.limit === 0 ? found.length : request.limit;
    return found
      .sort(newestFirst)
      .slice(0, limit)
      .map((saved) => this.#complete(saved))
      .filter((complete) => request.own !== true || isOf(complete, runId));
  }

  deleteThread(threadId: string): void {
    for (const map of [this.#saved, this.#blobs, this.#writes]) {
      for (const key of map.keys()) {
        if (key.startsWith(`${JSON.stringify([threadId]).slice(0, -1)},`)) map.delete(key);
      }
    }
  }

  /** Retains what the service retains by default: the newest checkpoint of a namespace. */
  keepOnlyHead(threadId: string, ns = ''): void {
    const old = this.history(threadId, ns).slice(0, -1);
    for (const checkpoint of old) {
      this.#saved.delete(keyOf(checkpoint));
      this.#writes.delete(keyOf(checkpoint));
    }
  }

  /** Every checkpoint of a thread's namespace, oldest first. */
  history(threadId: string, ns = ''): CheckpointMessage[] {
    return this.list({
      token: '',
      threadId,
      checkpointNs: ns,
      checkpointId: '',
      beforeCheckpointId: '',
      limit: 0,
      filterJson: '',
      afterSeq: 0,
      own: false,
    }).reverse();
  }

  #complete(saved: Saved): CheckpointMessage {
    const blobs = saved.channelVersions.flatMap(({ channel, version }) => {
      const blob = this.#blobs.get(blobKey(saved, channel, version));
      return blob === undefined ? [] : [blob];
    });
    const writes = [...(this.#writes.get(keyOf(saved))?.values() ?? [])];
    return { ...saved, blobs, writes };
  }
}

function isOf({ metadataJson, writes }: CheckpointMessage, runId?: string): boolean {
  const { run_id: savedBy } = JSON.parse(metadataJson) as { run_id?: string }; // an object
  return savedBy === runId || writes.some((write) => write.runId === runId);
}

function keyOf(at: { threadId: string; checkpointNs: string; checkpointId: string }): string {
  return JSON.stringify([at.threadId, at.checkpointNs, at.checkpointId]);
}

function blobKey(saved: Saved, channel: string, version: string): string {
  return JSON.stringify([saved.threadId, saved.checkpointNs, channel, version]);
}

function newestFirst(a: Saved, b: Saved): number {
  return a.checkpointId < b.checkpointId ? 1 : -1;
}
