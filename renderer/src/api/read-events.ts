import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { StreamGivenBack, type StreamSlots } from './stream-slots.ts';

/** Longer than three heartbeats (10 s each) of silence means a dead connection. */
const longSilenceMs = 35_000;

export interface EventConnection {
  readonly path: `/${string}`;
  readonly headers?: Readonly<Record<string, string>>;
  /** Resolves with a successful response; rejects with an ApiError otherwise. */
  connect(path: `/${string}`, init: RequestInit): Promise<Response>;
  readonly signal: AbortSignal;
  readonly silenceMs?: number | undefined;
  /** Where other windows may want this connection. */
  readonly slots?: StreamSlots | undefined;
  /** The service has accepted the request; nothing was read so far. */
  onOpen?(): Promise<void> | void;
  onEvent(event: EventSourceMessage): void;
  onComment?(text: string): void;
  /** A piece has arrived, whose events come next. */
  beforePiece?(): void;
  /** After the events of each piece that arrived. */
  onPiece?(): Promise<void> | void;
}

/** Reads one connection of server-sent events to its end; rejects when it fails, falls silent or is given back (`StreamGivenBack`). */
export async function readEvents(connection: EventConnection): Promise<void> {
  const { path, headers, signal, silenceMs = longSilenceMs, slots } = connection;
  const connecting = new AbortController();
  const stop = (): void => connecting.abort();
  let isGivenBack = false;
  const release = await slots?.take(signal, () => {
    isGivenBack = true;
    stop();
  });
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  let silence = setTimeout(stop, silenceMs);
  try {
    const init = {
      headers: { Accept: 'text/event-stream', ...headers },
      signal: connecting.signal,
    };
    const response = await connection.connect(path, init);
    if (response.body === null) throw new Error('The stream has no body.');
    await connection.onOpen?.();
    const parser = createParser({
      onEvent: (event) => connection.onEvent(event),
      onComment: (text) => connection.onComment?.(text),
    });
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(silence);
      silence = setTimeout(stop, silenceMs);
      connection.beforePiece?.();
      parser.feed(value);
      await connection.onPiece?.();
    }
  } catch (cause) {
    throw isGivenBack ? new StreamGivenBack() : cause;
  } finally {
    clearTimeout(silence);
    release?.();
    signal.removeEventListener('abort', stop);
    stop();
  }
}
