import { ActionIcon, TextInput } from '@mantine/core';
import { IconSearch, IconX } from '@tabler/icons-react';
import type { ReactNode, RefObject } from 'react';
import type { RunStream } from '../../../api/run-stream.ts';
import { formatNumber } from '../../../ui/format.ts';
import { useStreamSnapshot } from '../use-run-stream.ts';
import { PauseButton } from '../../../ui/pause-button.tsx';

interface EventToolbarProps {
  readonly stream: RunStream | undefined;
  readonly counts: ReadonlyMap<string, number>;
  readonly hiddenTypes: ReadonlySet<string>;
  readonly onHiddenTypes: (hidden: ReadonlySet<string>) => void;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly shownRows: number;
  readonly search: RefObject<HTMLInputElement | null>;
}

const order = ['values', 'updates', 'messages', 'custom', 'tasks', 'calls', 'lifecycle'];
/** Always shown, so there is nothing to switch. */
const fixed = new Set(['done', 'error']);

/** Pause, search, the types as switches with their counts, and the state of the stream. */
export function EventToolbar(props: EventToolbarProps): ReactNode {
  const { stream, counts, hiddenTypes, onHiddenTypes, text, onText, shownRows, search } = props;
  const types = [
    ...new Set([...order.filter((type) => counts.has(type)), ...counts.keys()]),
  ].filter((type) => !fixed.has(type));

  function toggle(type: string, isAlone: boolean): void {
    if (isAlone) {
      const others = types.filter((one) => one !== type);
      const isAloneNow = others.every((one) => hiddenTypes.has(one)) && !hiddenTypes.has(type);
      onHiddenTypes(new Set(isAloneNow ? [] : others));
      return;
    }
    const hidden = new Set(hiddenTypes);
    if (!hidden.delete(type)) hidden.add(type);
    onHiddenTypes(hidden);
  }

  return (
    <div className="toolbar" role="toolbar" aria-label="Events">
      <Pause stream={stream} />
      <TextInput
        ref={search}
        flex="0 1 180px"
        miw={96}
        size="xs"
        placeholder="Filter"
        aria-label="Filter events by text"
        leftSection={<IconSearch size={13} aria-hidden />}
        rightSection={
          text === '' ? undefined : (
            <ActionIcon size="xs" aria-label="Clear the filter" onClick={() => onText('')}>
              <IconX size={12} aria-hidden />
            </ActionIcon>
          )
        }
        value={text}
        onChange={(change) => onText(change.currentTarget.value)}
        onKeyDown={(press) => {
          if (press.key === 'Escape') press.currentTarget.blur();
        }}
      />
      <div className="event-types row wrap">
        {types.map((type) => (
          <button
            type="button"
            key={type}
            data-type={type}
            aria-pressed={!hiddenTypes.has(type)}
            title={`${type}: click to show or hide, Alt+click to show it alone`}
            onClick={(click) => toggle(type, click.altKey)}
          >
            {type} <span className="dim small numeric">{formatNumber(counts.get(type) ?? 0)}</span>
          </button>
        ))}
      </div>
      <StreamState stream={stream} shownRows={shownRows} />
    </div>
  );
}

function Pause({ stream }: { stream: RunStream | undefined }): ReactNode {
  const snapshot = useStreamSnapshot(stream);
  if (stream === undefined || snapshot === undefined) return undefined;
  const { isPaused, connection, received, shown } = snapshot;
  if (!isPaused && (connection === 'ended' || connection === 'failed')) return undefined;
  return (
    <PauseButton
      isPaused={isPaused}
      waiting={received - shown}
      onPause={() => stream.pause()}
      onResume={() => stream.resume()}
    />
  );
}

function StreamState(props: { stream: RunStream | undefined; shownRows: number }): ReactNode {
  const snapshot = useStreamSnapshot(props.stream);
  if (snapshot === undefined) return undefined;
  const { connection, shown, ratePerSecond, error, log } = snapshot;
  const isFiltered = props.shownRows < shown - log.first;
  const events = isFiltered
    ? `${formatNumber(props.shownRows)} of ${formatNumber(shown)} events`
    : `${formatNumber(shown)} ${shown === 1 ? 'event' : 'events'}`;
  return (
    <span className="toolbar-state dim numeric" aria-live="polite" aria-atomic>
      {connection === 'reconnecting' && (
        <span className="is-warning" title={error?.message}>
          reconnecting …
        </span>
      )}
      {connection === 'connecting' && <span>connecting …</span>}
      {log.droppedPayloads > 0 && (
        <span
          className="is-warning"
          title="The oldest payloads were dropped to bound the memory of this page."
        >
          {formatNumber(log.droppedPayloads)} payloads dropped
        </span>
      )}
      <span>{events}</span>
      {ratePerSecond > 0 && <span>{formatNumber(ratePerSecond)}/s</span>}
    </span>
  );
}
