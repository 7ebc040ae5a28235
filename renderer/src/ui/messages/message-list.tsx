import { Button } from '@mantine/core';
import { memo, type ReactNode, useMemo, useState } from 'react';
import { formatNumber } from '../format.ts';
import { MessageText } from './message-text.tsx';
import './messages.css';
import { type Entry, readConversation, type ReadMessage } from './read-message.ts';
import { ToolCallView } from './tool-call-view.tsx';

/** What an active run adds. */
export interface LiveConversation {
  /** Messages that still grow, in LangGraph's form. Those that `messages` already has are omitted. */
  readonly messages: readonly unknown[];
  /** True until the run has ended. */
  readonly isRunning: boolean;
}

interface MessageListProps {
  /** In LangGraph's own form, or in that of chat APIs. */
  readonly messages: readonly unknown[];
  readonly live?: LiveConversation | undefined;
  /** Messages that are sent when the active run has ended. */
  readonly queued?: readonly unknown[];
  /** What can be done with a message, shown where the pointer or the focus is. Renders what it is given alone. */
  readonly actionsOf?: ((message: ReadMessage) => ReactNode) | undefined;
}

/** Messages that are rendered at first; earlier ones on request. */
const pageSize = 200;

/** A conversation: the messages by role, tool calls folded with their results. */
export function MessageList(props: MessageListProps): ReactNode {
  const { messages, live, queued = [], actionsOf } = props;
  const [shown, setShown] = useState(pageSize);
  const known = useMemo(() => readConversation(messages), [messages]);
  const growing = useMemo(() => liveEntries(known, live), [known, live]);
  const waiting = useMemo(() => readConversation(queued), [queued]);
  const hidden = Math.max(0, known.length - shown);
  return (
    <div role="log" aria-label="Conversation" aria-live="polite">
      {hidden > 0 && (
        <Button variant="subtle" size="compact-xs" onClick={() => setShown(shown + pageSize)}>
          Show {formatNumber(Math.min(hidden, pageSize))} earlier of {formatNumber(hidden)}
        </Button>
      )}
      {known.slice(hidden).map((entry) => (
        <Message
          key={entry.key}
          entry={entry}
          isLive={live?.isRunning === true}
          actionsOf={actionsOf}
        />
      ))}
      {growing.map((entry, index) => (
        <Message
          key={entry.key}
          entry={entry}
          isLive
          isGrowing={live?.isRunning === true && index === growing.length - 1}
        />
      ))}
      {waiting.map((entry) => (
        <Message key={entry.key} entry={entry} isLive={false} isQueued />
      ))}
    </div>
  );
}

function liveEntries(
  known: readonly Entry[],
  live: LiveConversation | undefined,
): readonly Entry[] {
  if (live === undefined) return [];
  const ids = new Set(known.map(({ message }) => message.id));
  return readConversation(live.messages).filter(
    ({ message: { id } }) => id === undefined || !ids.has(id),
  );
}

interface MessageProps {
  readonly entry: Entry;
  readonly isLive: boolean;
  readonly isGrowing?: boolean;
  readonly isQueued?: boolean;
  readonly actionsOf?: MessageListProps['actionsOf'];
}

/** Rendered again only when something of it differs: another message grows with every frame. */
const Message = memo(function Message(props: MessageProps): ReactNode {
  const { entry, isLive, isGrowing, isQueued, actionsOf } = props;
  const { message, results } = entry;
  return (
    <section
      className="message"
      data-role={message.role}
      data-growing={isGrowing || undefined}
      data-queued={isQueued || undefined}
    >
      <Who message={message} isQueued={isQueued === true} />
      <div className="message-body">
        {message.thought !== '' && (
          <details className="dim small">
            <summary>thought</summary>
            <div className="message-plain">{message.thought}</div>
          </details>
        )}
        {message.text !== '' && <MessageText text={message.text} />}
        {message.otherParts.map((part, index) => (
          <span className="message-part tag" key={`${index}${part}`}>
            {part}
          </span>
        ))}
        {message.toolCalls.map((call, index) => (
          <ToolCallView
            key={call.id ?? index}
            call={call}
            result={results.get(call)}
            isLive={isLive}
          />
        ))}
        {isGrowing === true && <span className="message-cursor" aria-hidden />}
      </div>
      {actionsOf?.(message)}
    </section>
  );
}, isSame);

function isSame(before: MessageProps, now: MessageProps): boolean {
  const { message, results } = before.entry;
  return (
    before.isLive === now.isLive &&
    before.isGrowing === now.isGrowing &&
    before.isQueued === now.isQueued &&
    before.actionsOf === now.actionsOf &&
    message === now.entry.message &&
    results.size === now.entry.results.size &&
    [...results].every(([call, result]) => now.entry.results.get(call) === result)
  );
}

interface WhoProps {
  readonly message: ReadMessage;
  readonly isQueued: boolean;
}

function Who({ message: { role, name, tokens, isError }, isQueued }: WhoProps): ReactNode {
  return (
    <div className="message-who dim small">
      <strong>{role}</strong>
      {isQueued && <span>queued</span>}
      {name !== undefined && <span>{name}</span>}
      {isError && <span className="is-error">failed</span>}
      {tokens !== undefined && <span>{formatNumber(tokens)} tokens</span>}
    </div>
  );
}
