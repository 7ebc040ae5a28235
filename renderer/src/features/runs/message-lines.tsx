import type { ReactNode } from 'react';
import { JsonView } from '../../ui/json/json-view.tsx';
import { contentText } from './event-reading.ts';
import { isRecord, textOf } from './is-record.ts';

/** Messages one below the other: role, text, and the calls of tools with their arguments. */
export function MessageLines({ messages }: { messages: readonly unknown[] }): ReactNode {
  return (
    <div className="message-lines">
      {messages.map((message, index) => (
        // Messages of one payload have no other identity than where they stand.
        <MessageLine key={index} message={message} />
      ))}
    </div>
  );
}

function MessageLine({ message }: { message: unknown }): ReactNode {
  if (!isRecord(message)) return <JsonView value={message} label="Message" />;
  const role = roleNames[textOf(message, 'type') ?? ''] ?? textOf(message, 'role') ?? 'message';
  const text = contentText(message['content']);
  const calls = Array.isArray(message['tool_calls']) ? message['tool_calls'] : [];
  return (
    <article data-role={role}>
      <strong>{role}</strong>
      {text !== '' && <p>{text}</p>}
      {calls.map((call: unknown, index) => (
        <details key={index}>
          <summary>calls {isRecord(call) ? textOf(call, 'name') : 'a tool'}</summary>
          <JsonView
            value={isRecord(call) ? call['args'] : call}
            label="Arguments"
            maxHeight={240}
          />
        </details>
      ))}
    </article>
  );
}

const roleNames: Readonly<Record<string, string>> = {
  human: 'user',
  HumanMessageChunk: 'user',
  ai: 'assistant',
  AIMessageChunk: 'assistant',
  system: 'system',
  tool: 'tool',
};
