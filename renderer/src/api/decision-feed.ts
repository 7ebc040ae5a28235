import { type ApiError, toApiError } from './errors.ts';
import type { AccessRecord } from './generated/types.gen.ts';
import { readEvents } from './read-events.ts';
import { createReconnectDelay, isWorthRepeating } from './reconnect.ts';
import { StreamGivenBack, type StreamSlots } from './stream-slots.ts';

/** Which decisions; absent members do not filter. */
export interface DecisionFilter {
  readonly subject?: string;
  /** A `*` at its end stands for anything. */
  readonly operation?: string;
  readonly resource?: string;
  readonly request_id?: string;
  readonly decision?: 'grant' | 'deny';
}

/** Dependencies of the feed; tests pass their own. */
export interface DecisionFeedPorts {
  /** Resolves with a successful response; rejects with an ApiError otherwise. */
  connect(path: `/${string}`, init: RequestInit): Promise<Response>;
  /** Calls back soon, once: at the next frame. */
  schedule(deliver: () => void): void;
  readonly slots?: StreamSlots | undefined;
  /** How many decisions are kept; the oldest are dropped first. */
  readonly maxDecisions?: number;
  /** How many are read at a time. */
  readonly pageSize?: number;
  /** Longer than three heartbeats (10 s each) of silence means a dead connection. */
  readonly silenceMs?: number;
  readonly firstDelayMs?: number;
}

/** The decisions as they are shown now. A new object whenever something changed. */
export interface DecisionFeedSnapshot {
  readonly connection: 'connecting' | 'open' | 'reconnecting' | 'failed' | 'closed';
  /** Newest first. */
  readonly decisions: readonly AccessRecord[];
  readonly isPaused: boolean;
  /** How many arrived during the pause. */
  readonly waiting: number;
  /** The service may have older ones. */
  readonly hasOlder: boolean;
  /** Why the connection is `failed` or `reconnecting`, or why older ones could not be read. */
  readonly error: ApiError | undefined;
}

/** The decisions of the service, as they are made. */
export interface DecisionFeed {
  subscribe(listener: () => void): () => void;
  getSnapshot(): DecisionFeedSnapshot;
  pause(): void;
  resume(): void;
  readOlder(): void;
  close(): void;
}

const largestFeed = 2_000;
const defaultPage = 100;

/** Follows the matching decisions: those that the service retains, and new ones, each once. */
export function createDecisionFeed(filter: DecisionFilter, ports: DecisionFeedPorts): DecisionFeed {
  const { maxDecisions = largestFeed, pageSize = defaultPage } = ports;
  const closing = new AbortController();
  const listeners = new Set<() => void>();
  let all: readonly AccessRecord[] = [];
  /** Arrived since the last frame. */
  let arrived: AccessRecord[] = [];
  let shown: readonly AccessRecord[] | undefined;
  let connection: DecisionFeedSnapshot['connection'] = 'connecting';
  let error: ApiError | undefined;
  let hasOlder = false;
  let isReadingOlder = false;
  /** The newest ones have been read: the stream continues after the last of them. */
  let isRead = false;
  let isScheduled = false;
  /** Arrived decisions wait for a page that is being read. */
  let isHeld = false;
  let snapshot = makeSnapshot();

  function makeSnapshot(): DecisionFeedSnapshot {
    const newest = shown?.[0]?.id ?? 0;
    const waiting = shown === undefined ? 0 : all.findIndex(({ id }) => id <= newest);
    return {
      connection,
      decisions: shown ?? all,
      isPaused: shown !== undefined,
      waiting: waiting < 0 ? all.length : waiting,
      hasOlder,
      error,
    };
  }

  function keep(more: readonly AccessRecord[]): void {
    const merged = mergeDecisions(all, more);
    if (merged.length > maxDecisions) hasOlder = true;
    all = merged.slice(0, maxDecisions);
  }

  function changed(): void {
    if (isScheduled) return;
    isScheduled = true;
    ports.schedule(() => {
      isScheduled = false;
      if (isHeld) return;
      if (arrived.length > 0) keep(arrived.toReversed());
      arrived = [];
      snapshot = makeSnapshot();
      for (const listener of listeners) listener();
    });
  }

  async function readPage(before?: number): Promise<readonly AccessRecord[]> {
    const query = queryOf(filter, { limit: pageSize, before });
    const path = `/policy/decisions?${query}` as const;
    const response = await ports.connect(path, { signal: closing.signal });
    // The service's own response, in the form of its OpenAPI document.
    const page = (await response.json()) as AccessRecord[];
    hasOlder = page.length === pageSize;
    return page;
  }

  /** Decisions are missing between the known ones and the next: the known ones are dropped. */
  async function readAnew(): Promise<void> {
    isHeld = true;
    isRead = false;
    try {
      all = await readPage();
      isRead = true;
    } finally {
      isHeld = false;
    }
  }

  /** Reads one connection until it ends. */
  async function readOnce(delay: ReturnType<typeof createReconnectDelay>): Promise<void> {
    const last = arrived.at(-1)?.id ?? all[0]?.id;
    let isGap = false;
    await readEvents({
      path: `/policy/decisions/stream?${queryOf(filter)}`,
      ...(isRead && last !== undefined && { headers: { 'Last-Event-ID': String(last) } }),
      connect: ports.connect,
      signal: closing.signal,
      silenceMs: ports.silenceMs,
      slots: ports.slots,
      async onOpen() {
        // Only now: a decision between the two arrives over the stream, maybe twice.
        if (!isRead) all = await readPage();
        isRead = true;
        connection = 'open';
        error = undefined;
        changed();
      },
      onComment(text) {
        isGap ||= text.trim() === 'gap';
      },
      onEvent({ event, data }) {
        if (event !== 'decision') return;
        delay.reset();
        // As above.
        arrived.push(JSON.parse(data) as AccessRecord);
      },
      async onPiece() {
        if (isGap) await readAnew();
        isGap = false;
        changed();
      },
    });
  }

  async function follow(): Promise<void> {
    const delay = createReconnectDelay(ports.firstDelayMs);
    while (!closing.signal.aborted) {
      try {
        await readOnce(delay);
      } catch (cause) {
        if (closing.signal.aborted) break;
        if (cause instanceof StreamGivenBack) {
          connection = 'connecting';
          changed();
          continue;
        }
        error = toApiError(cause);
        if (!isWorthRepeating(error)) {
          connection = 'failed';
          return;
        }
      }
      connection = 'reconnecting';
      changed();
      await delay.wait(closing.signal);
    }
    connection = 'closed';
  }

  async function readOlder(): Promise<void> {
    const oldest = all.at(-1)?.id;
    if (isReadingOlder || !hasOlder || oldest === undefined || all.length >= maxDecisions) return;
    isReadingOlder = true;
    try {
      keep(await readPage(oldest));
      if (shown !== undefined) shown = all.filter(({ id }) => id <= (shown?.[0]?.id ?? 0));
    } catch (cause) {
      error = toApiError(cause);
    } finally {
      isReadingOlder = false;
      changed();
    }
  }

  void follow().finally(changed);

  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    getSnapshot: () => snapshot,
    pause() {
      shown ??= snapshot.decisions;
      changed();
    },
    resume() {
      shown = undefined;
      changed();
    },
    readOlder: () => void readOlder(),
    close: () => closing.abort(),
  };
}

/** Both lists, the newest first and each once. */
export function mergeDecisions(
  known: readonly AccessRecord[],
  more: readonly AccessRecord[],
): readonly AccessRecord[] {
  const newest = known[0]?.id ?? -1;
  if (more.every(({ id }) => id > newest)) return [...more, ...known];
  const byId = new Map([...known, ...more].map((one) => [one.id, one]));
  return [...byId.values()].toSorted((one, other) => other.id - one.id);
}

function queryOf(filter: DecisionFilter, page: Readonly<Record<string, unknown>> = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...filter, ...page })) {
    if (value !== undefined) query.set(name, String(value));
  }
  return query.toString();
}
