import type { RunStream, RunStreamEvent } from '../../../api/run-stream.ts';

/** A value folded from the events of a stream. */
export interface Fold {
  take(event: RunStreamEvent): void;
}

export interface Folded<F extends Fold> {
  readonly fold: F;
  /** Changes when the fold has processed more; the fold itself grows in place. */
  readonly version: number;
  /** Some events have not been processed yet. */
  readonly isBehind: boolean;
}

/** A frame is 16 ms; several folds and the rendering have to fit into it. */
const sliceMs = 5;
const checkEvery = 16;

/** Folds the shown events of a stream while there are listeners. */
export function createFolding<F extends Fold>(
  stream: RunStream | undefined,
  create: () => F,
  everyMs: number,
): { read(): Folded<F>; subscribe(listener: () => void): () => void } {
  const fold = create();
  const listeners = new Set<() => void>();
  let folded: Folded<F> = { fold, version: 0, isBehind: false };
  let position = 0;
  let shownAt = 0;
  let frame: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stop: (() => void) | undefined;

  function show(isBehind: boolean): void {
    timer = undefined;
    shownAt = performance.now();
    folded = { fold, version: folded.version + 1, isBehind };
    for (const listener of listeners) listener();
  }

  function work(): void {
    frame = undefined;
    if (stream === undefined) return;
    const { log, shown } = stream.getSnapshot();
    const startedAt = performance.now();
    const from = position;
    position = Math.max(position, log.first);
    while (position < shown) {
      const event = log.get(position);
      if (event !== undefined) fold.take(event);
      position += 1;
      if (position % checkEvery === 0 && performance.now() - startedAt > sliceMs) break;
    }
    const isBehind = position < shown;
    if (isBehind) frame = requestAnimationFrame(work);
    if (position === from) return;
    const wait = everyMs - (performance.now() - shownAt);
    if (wait <= 0) {
      clearTimeout(timer);
      show(isBehind);
    } else timer ??= setTimeout(show, wait, isBehind);
  }

  function begin(): () => void {
    const update = (): void => {
      if (frame === undefined) work();
    };
    const unsubscribe = stream?.subscribe(update);
    // Not within the subscription itself: it happens during rendering.
    frame = requestAnimationFrame(work);
    return () => {
      unsubscribe?.();
      if (frame !== undefined) cancelAnimationFrame(frame);
      frame = undefined;
      clearTimeout(timer);
      timer = undefined;
    };
  }

  return {
    read: () => folded,
    subscribe(listener) {
      listeners.add(listener);
      stop ??= begin();
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        stop?.();
        stop = undefined;
      };
    },
  };
}
