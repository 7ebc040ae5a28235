import { memo, type ReactNode } from 'react';
import type { RunStreamEvent } from '../../../api/run-stream.ts';
import { formatNumber, formatSize, formatUtc } from '../../../ui/format.ts';
import { isRestart } from './event-filter.ts';
import { readEvent } from './event-reading.ts';
import { nodePath } from './waterfall.ts';

interface EventRowProps {
  readonly event: RunStreamEvent;
  /** When the row above happened. */
  readonly before: number | undefined;
  /** The sentence of a restart. */
  readonly restart: string | undefined;
  readonly onSelect: (seq: number) => void;
}

/** One line of the list; restarts and reconnections are bands across it. */
export const EventRow = memo(function EventRow(props: EventRowProps): ReactNode {
  const { event, before, restart, onSelect } = props;
  const { seq, id, type, ns, size, at } = event;
  const band = restart ?? bandText(event);
  const select = (): void => onSelect(seq);
  if (band !== undefined) {
    return (
      <div
        className="event-row event-band pane-row small"
        data-type={isRestart(event) ? 'restart' : type}
        onClick={select}
      >
        <span title={band}>{band}</span>
      </div>
    );
  }
  const { node, preview, isFailure } = readEvent(event);
  const path = nodePath(ns);
  return (
    <div
      className="event-row pane-row small"
      data-type={type}
      data-failed={isFailure || undefined}
      onClick={select}
    >
      <span className="event-id event-number dim mono">{id === null ? '' : shortNumber(id)}</span>
      <span
        className="event-delta event-number dim mono"
        title={at === undefined ? unknownTime : formatUtc(at)}
      >
        {delta(at, before)}
      </span>
      <span>{type}</span>
      <span className="event-node mono" title={ns === '' ? node : `${path}/${node} (${ns})`}>
        {[path, node].filter((part) => part !== '').join('/')}
      </span>
      <span className="event-number dim mono">{formatSize(size)}</span>
      <span className="event-preview mono dim">{preview}</span>
    </div>
  );
});

const unknownTime = 'Read from the log afterwards: this event has no time.';

function delta(at: number | undefined, before: number | undefined): string {
  if (at === undefined || before === undefined) return '·';
  return `+${formatNumber(Math.max(0, Math.round(at - before)))}`;
}

/** An attempt's ids start at a multiple of a billion: `2·14` is the fourteenth of the second. */
function shortNumber(id: number): string {
  const attempt = Math.floor(id / 1_000_000_000) + 1;
  return attempt === 1 ? String(id) : `${attempt}·${id % 1_000_000_000}`;
}

function bandText(event: RunStreamEvent): string | undefined {
  if (event.type === 'reconnected') return 'Reconnected, 0 lost';
  if (event.type === 'gap') {
    return 'Earlier events are no longer kept. The state of the last checkpoint replaces them.';
  }
  return undefined;
}
