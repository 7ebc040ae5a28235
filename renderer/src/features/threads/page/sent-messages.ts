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
  /** The run whose answer comes live. */
  readonly followed: string | undefined;
}

/** The thread's messages with those that were sent here: said already, or behind the answer that is being given. */
export function withSent(
  messages: unknown,
  sent: readonly SentMessage[],
  { isBusy, followed }: Now,
): { readonly said: readonly unknown[]; readonly waiting: readonly unknown[] } {
  const known: readonly unknown[] = Array.isArray(messages) ? messages : [];
  const ids = new Set(known.map(idOf));
  const missing = sent.filter(({ id }) => !ids.has(id));
  const isSaid = ({ runId }: SentMessage): boolean => runId === followed;
  // A run that was cancelled in the queue never says what it was sent with.
  const isWaiting = (one: SentMessage): boolean => isBusy && one.isQueued && !isSaid(one);
  return {
    said: [...known, ...missing.filter(isSaid).map(asMessage)],
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
