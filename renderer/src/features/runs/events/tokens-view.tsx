import type { ReactNode } from 'react';
import type { RunStream } from '../../../api/run-stream.ts';
import { formatNumber } from '../../../ui/format.ts';
import { useStickToEnd } from '../../../ui/use-stick-to-end.ts';
import { createTokenText, type JoinedMessage } from './token-text.ts';
import { useFold } from './use-fold.ts';

/** Text is rendered at most this often: faster than reading speed. */
const everyMs = 80;
/** While a text is being written, the newest messages are enough. */
const shownMessages = 200;

/** The text of the run's messages, joined as its tokens arrive. */
export function TokensView(props: {
  stream: RunStream | undefined;
  isRunning: boolean;
}): ReactNode {
  const { stream, isRunning } = props;
  const { fold } = useFold(stream, createTokenText, everyMs);
  const messages = fold.messages().slice(-shownMessages);
  if (messages.length === 0) {
    return (
      <p className="hint">
        {isRunning
          ? 'The text of messages will be here while models write it.'
          : 'No message was streamed, or this run does not have stream mode messages.'}
      </p>
    );
  }
  return <Messages messages={messages} />;
}

function Messages({ messages }: { messages: readonly JoinedMessage[] }): ReactNode {
  const { scroller } = useStickToEnd([messages]);
  return (
    <div
      className="tokens stack scroll"
      ref={scroller}
      tabIndex={0}
      role="log"
      aria-label="Text of messages"
      aria-live="off"
    >
      {messages.map(({ id, node, type, text, toolCalls, pieces }) => (
        <article key={id} data-role={type}>
          <header className="row dim small">
            <strong>{type}</strong>
            {node !== '' && <code>{node}</code>}
            <span>
              {formatNumber(pieces)} {pieces === 1 ? 'piece' : 'pieces'}
            </span>
          </header>
          {text !== '' && <p>{text}</p>}
          {toolCalls.length > 0 && (
            <p className="dim">
              calls <code>{toolCalls.join(', ')}</code>
            </p>
          )}
        </article>
      ))}
    </div>
  );
}
