/** A message that was sent and that the thread's state may not have yet. */
export interface SentMessage {
  readonly id: string;
  readonly text: string;
  readonly runId: string;
  /** Its run waited for another one when it was sent. */
  readonly isQueued: boolean;
}

interface Now {
  readonly isBusy: boolean;
  /** The run whose messages are streamed. */
  readonly followed: string | undefined;
}

/** The thread's messages with those that were sent here: sent already, or queued behind the active run. */
export function withSent(
  messages: unknown,
  sent: readonly SentMessage[],
  { isBusy, followed }: Now,
): { readonly shown: readonly unknown[]; readonly waiting: readonly unknown[] } {
  const known: readonly unknown[] = Array.isArray(messages) ? messages : [];
  const ids = new Set(known.map(idOf));
  const missing = sent.filter(({ id }) => !ids.has(id));
  const isRunning = ({ runId }: SentMessage): boolean => runId === followed;
  // The message of a run that was cancelled in the queue never appears.
  const isWaiting = (one: SentMessage): boolean => isBusy && one.isQueued && !isRunning(one);
  return {
    shown: [...known, ...missing.filter(isRunning).map(asMessage)],
    waiting: missing.filter(isWaiting).map(asMessage),
  };
}

function asMessage({ id, text }: SentMessage): unknown {
  return { type: 'human', id, content: text };
}

function idOf(message: unknown): unknown {
  return typeof message === 'object' && message !== null && 'id' in message
    ? message.id
    : undefined;
}
