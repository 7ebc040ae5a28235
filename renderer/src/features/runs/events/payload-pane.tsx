import { ActionIcon, Tabs } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { type ReactNode, useMemo } from 'react';
import type { RunEventLog, RunStreamEvent } from '../../../api/run-stream.ts';
import { formatUtc } from '../../../ui/format.ts';
import { JsonView } from '../../../ui/json/json-view.tsx';
import { MessageList } from '../../../ui/messages/message-list.tsx';
import { CallView } from './call-view.tsx';
import { parseEvent } from './event-reading.ts';
import { isRecord } from '../../../api/json-record.ts';
import { messagesIn } from './messages-in.ts';
import type { PayloadView } from './payload-view.ts';
import { ValuesDiff } from './values-diff.tsx';

interface PayloadPaneProps {
  readonly log: RunEventLog;
  readonly event: RunStreamEvent;
  readonly view: PayloadView;
  readonly onView: (view: PayloadView) => void;
  readonly onClose: () => void;
}

/** Larger payloads are shown as JSON alone, which does not need them parsed here. */
const parsedSize = 1024 * 1024;

/** One event's payload: as JSON, as messages where it has some, compared with the previous values. */
export function PayloadPane(props: PayloadPaneProps): ReactNode {
  const { log, event, view, onView, onClose } = props;
  const payload = useMemo(() => (event.size > parsedSize ? undefined : parseEvent(event)), [event]);
  const messages = useMemo(() => messagesIn(event.type, payload), [event, payload]);
  const before = event.type === 'values' ? valuesBefore(log, event) : undefined;
  const isCall = event.type === 'calls' && isRecord(payload);
  const views: [PayloadView, string, boolean][] = [
    ['json', isCall ? 'Call' : 'JSON', true],
    ['messages', 'Messages', messages !== undefined],
    ['diff', 'Diff', before !== undefined],
  ];
  const shown = views.find(([name, , isAvailable]) => name === view && isAvailable)?.[0] ?? 'json';
  return (
    <section className="pane" aria-label="Payload">
      <Tabs
        className="pane"
        value={shown}
        keepMounted={false}
        onChange={(next) => {
          const chosen = views.find(([name]) => name === next);
          if (chosen !== undefined) onView(chosen[0]);
        }}
      >
        <header className="pane-head">
          <Tabs.List aria-label="Payload">
            {views.map(([name, label, isAvailable]) => (
              <Tabs.Tab
                key={name}
                value={name}
                disabled={!isAvailable}
                title={whyNot(name, isAvailable)}
              >
                {label}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <span className="payload-name dim clip mono">
            {event.id === null ? event.type : `${event.type} ${event.id}`}
            {event.at !== undefined && <time> {formatUtc(event.at).slice(11)}</time>}
          </span>
          <ActionIcon size="sm" aria-label="Close the payload (Escape)" onClick={onClose}>
            <IconX size={14} aria-hidden />
          </ActionIcon>
        </header>
        <Tabs.Panel value={shown} className="scroll">
          {event.isDropped ? (
            <p className="hint">
              This payload was dropped to bound the memory of this page. Reload to read it again
              while the service keeps it.
            </p>
          ) : shown === 'messages' && messages !== undefined ? (
            <MessageList messages={messages} />
          ) : shown === 'diff' && before !== undefined ? (
            <ValuesDiff before={before} after={event} />
          ) : isCall ? (
            <CallView log={log} event={event} payload={payload} />
          ) : (
            <JsonView text={event.data} label={`${event.type} ${event.id ?? ''}`} />
          )}
        </Tabs.Panel>
      </Tabs>
    </section>
  );
}

function whyNot(view: PayloadView, isAvailable: boolean): string | undefined {
  if (isAvailable) return undefined;
  return view === 'diff'
    ? 'Only values with previous values can be compared.'
    : 'No messages in it.';
}

/** The previous state of the same graph. */
function valuesBefore(log: RunEventLog, event: RunStreamEvent): RunStreamEvent | undefined {
  for (let seq = event.seq - 1; seq >= log.first; seq -= 1) {
    const other = log.get(seq);
    if (other?.type === 'values' && other.ns === event.ns) {
      return other.isDropped ? undefined : other;
    }
  }
  return undefined;
}
