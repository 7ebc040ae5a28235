import type { ReactNode } from 'react';
import { isRecord, numberOf, textOf } from '../../api/json-record.ts';
import { formatSize } from '../../ui/format.ts';
import { JsonView } from '../../ui/json/json-view.tsx';
import { MessageList } from '../../ui/messages/message-list.tsx';
import { MessageText } from '../../ui/messages/message-text.tsx';

interface ValueViewProps {
  readonly label: string;
  readonly value: unknown;
  readonly maxHeight?: number | string;
  /** Of a state with messages: they are shown as messages, and the rest of it below. */
  readonly splitsMessages?: boolean;
}

/** A value as it is best read: text as text, messages as messages, anything else as JSON. */
export function ValueView({ label, value, maxHeight, splitsMessages }: ValueViewProps): ReactNode {
  if (typeof value === 'string') {
    return (
      <div className="value-text">
        <MessageText text={value} />
      </div>
    );
  }
  const messages = asMessages(value);
  if (messages !== undefined) return <MessageList messages={messages} />;
  const state = splitsMessages === true ? messagesAndRest(value) : undefined;
  if (state !== undefined) {
    return (
      <>
        <MessageList messages={state.messages} />
        {Object.keys(state.rest).length > 0 && (
          <JsonView value={state.rest} label={`${label} without messages`} maxHeight={maxHeight} />
        )}
      </>
    );
  }
  const cut = cutValue(value);
  if (cut === undefined) return <JsonView value={value} label={label} maxHeight={maxHeight} />;
  return (
    <>
      <p className="dim">
        Recorded in part: the whole has {formatSize(cut.bytes)}. The state at a checkpoint may still
        have it.
      </p>
      <pre className="value-cut">{cut.preview}</pre>
    </>
  );
}

/** A message, a list of messages or of lists of messages, as prompts are; undefined for anything else. */
function asMessages(value: unknown): readonly unknown[] | undefined {
  const list = Array.isArray(value) ? (value as unknown[]).flat() : [value];
  return list.length > 0 && list.every(isMessage) ? list : undefined;
}

function messagesAndRest(
  value: unknown,
): { readonly messages: readonly unknown[]; readonly rest: Record<string, unknown> } | undefined {
  if (!isRecord(value) || !('messages' in value)) return undefined;
  const { messages: listed, ...rest } = value;
  const messages = asMessages(listed);
  return messages && { messages, rest };
}

function isMessage(value: unknown): boolean {
  return (
    isRecord(value) && 'content' in value && (typeof value['type'] === 'string' || 'role' in value)
  );
}

/** What is recorded of a value that was too large. */
function cutValue(value: unknown): { bytes: number; preview: string } | undefined {
  if (!isRecord(value) || value['truncated'] !== true) return undefined;
  const [bytes, preview] = [numberOf(value, 'bytes'), textOf(value, 'preview')];
  return bytes === undefined || preview === undefined ? undefined : { bytes, preview };
}
