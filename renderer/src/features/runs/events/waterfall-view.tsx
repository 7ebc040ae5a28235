import { IconAlertCircle } from '@tabler/icons-react';
import { type PointerEvent, type ReactNode, useRef, useState } from 'react';
import { formatDuration, formatNumber } from '../../../ui/format.ts';
import { toneOf } from '../../../ui/status-badge.tsx';
import { useTicking } from '../use-ticking.ts';
import { tickStep } from '../tick-step.ts';
import type { Bar, Lane, Waterfall } from './waterfall.ts';
import './waterfall.css';

export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

interface WaterfallViewProps {
  readonly waterfall: Waterfall;
  readonly isRunning: boolean;
  readonly clockOffset: number;
  readonly range: TimeRange | undefined;
  readonly onRange: (range: TimeRange | undefined) => void;
  readonly onSelect: (seq: number) => void;
  /** The node in which the run failed. */
  readonly failedNode?: string | undefined;
  /** Shown while no node has a bar. */
  readonly noTimes: string;
}

/** Less than this is a click, not a brush. */
const brushPixels = 4;

/** Lanes per node with a bar for each time that it ran; dragging across them chooses a range of time. */
export function WaterfallView(props: WaterfallViewProps): ReactNode {
  const { waterfall, isRunning, clockOffset, range, onRange, onSelect, failedNode, noTimes } =
    props;
  const now = useTicking(isRunning ? 200 : undefined);
  const track = useRef<HTMLDivElement>(null);
  const [brush, setBrush] = useState<TimeRange>();
  const { begin, latest, restarts, isExact } = waterfall;
  const lanes = waterfall.lanes();
  if (begin === undefined || lanes.length === 0)
    return <p className="waterfall hint small">{noTimes}</p>;
  const end = Math.max(latest ?? begin, isRunning ? now + clockOffset : 0, begin + 1);
  const span = (end - begin) * 1.02;
  const percent = (time: number): number => ((time - begin) / span) * 100;
  const shown = brush ?? range;

  function timeAt(event: PointerEvent): number {
    const box = track.current?.getBoundingClientRect();
    if (box === undefined || begin === undefined) return 0;
    const part = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
    return begin + part * span;
  }

  function onPointerDown(down: PointerEvent<HTMLDivElement>): void {
    if (down.button !== 0) return;
    const first = timeAt(down);
    const x = down.clientX;
    let last: TimeRange | undefined;
    const move = (event: globalThis.PointerEvent): void => {
      if (last === undefined && Math.abs(event.clientX - x) < brushPixels) return;
      // Only clientX is read, which both kinds of event have.
      const time = timeAt(event as unknown as PointerEvent);
      last = { from: Math.min(first, time), to: Math.max(first, time) };
      setBrush(last);
    };
    const up = (): void => {
      window.removeEventListener('pointermove', move);
      setBrush(undefined);
      if (last !== undefined) onRange(last);
    };
    window.addEventListener('pointermove', move);
    window.addEventListener('pointerup', up, { once: true });
  }

  return (
    <section className="waterfall" aria-label="Time per node" data-exact={isExact}>
      <Axis span={span} />
      <div className="waterfall-lanes" onPointerDown={onPointerDown}>
        {lanes.map((lane) => (
          <LaneRow
            key={lane.key}
            lane={lane}
            end={end}
            percent={percent}
            onSelect={onSelect}
            isFailed={lane.kind === 'node' && lane.label === failedNode}
          />
        ))}
        <div className="waterfall-over" ref={track}>
          {restarts.map(({ at, attempt, lastFailure }) => (
            <span
              key={attempt}
              className="waterfall-restart"
              style={{ left: `${percent(at)}%` }}
              title={`Attempt ${attempt}${lastFailure === undefined ? '' : `, ${lastFailure}`}`}
            >
              {attempt}
            </span>
          ))}
          {shown !== undefined && (
            <span
              className="chosen-range"
              style={{
                left: `${percent(shown.from)}%`,
                width: `${percent(shown.to) - percent(shown.from)}%`,
              }}
            />
          )}
        </div>
      </div>
      {range !== undefined && (
        <p className="hint small">
          Events of {formatDuration(range.from - begin)} to {formatDuration(range.to - begin)}{' '}
          <button type="button" className="link-button" onClick={() => onRange(undefined)}>
            Show all
          </button>
        </p>
      )}
      {!isExact && (
        <p className="hint small">
          Estimated from updates: this run does not have stream mode <code>tasks</code>.
        </p>
      )}
    </section>
  );
}

interface LaneRowProps {
  readonly lane: Lane;
  readonly end: number;
  readonly percent: (time: number) => number;
  readonly onSelect: (seq: number) => void;
  readonly isFailed: boolean;
}

function LaneRow({ lane, end, percent, onSelect, isFailed }: LaneRowProps): ReactNode {
  const { label, kind, depth, bars } = lane;
  const hasFailed = isFailed || bars.some(({ state }) => state === 'error');
  const total = bars.reduce((sum, bar) => sum + ((bar.end ?? end) - bar.start), 0);
  return (
    <div className="lane" data-kind={kind} data-failed={hasFailed || undefined}>
      <span
        className="lane-label clip mono"
        style={{ paddingLeft: 8 + depth * 12 }}
        title={lane.key}
      >
        {hasFailed && <IconAlertCircle size={12} role="img" aria-label="failed" />}
        {kind === 'node' ? (
          ''
        ) : (
          <small className="lane-kind">{kind === 'tool' ? 'tool' : 'model'}</small>
        )}
        {label}
      </span>
      <span className="lane-total dim numeric">{formatDuration(total)}</span>
      <span className="lane-track">
        {bars.map((bar) => (
          <button
            type="button"
            key={bar.seq}
            className="bar"
            data-state={bar.state}
            data-tone={toneOf(bar.state === 'done' ? 'completed' : bar.state)}
            style={{
              left: `${percent(bar.start)}%`,
              width: `${Math.max(0, percent(bar.end ?? end) - percent(bar.start))}%`,
            }}
            title={barSentence(label, bar, end)}
            aria-label={barSentence(label, bar, end)}
            onClick={() => onSelect(bar.endSeq ?? bar.seq)}
          />
        ))}
      </span>
    </div>
  );
}

const stateLabels: Readonly<Record<Bar['state'], string>> = {
  running: 'running',
  done: 'done',
  error: 'failed',
  interrupted: 'waits for an answer',
  cut: 'cut off',
};

function barSentence(label: string, bar: Bar, end: number): string {
  const tokens =
    bar.tokens === undefined
      ? ''
      : `, ${formatNumber(bar.tokens.input)} tokens in, ${formatNumber(bar.tokens.output)} out`;
  const error = bar.error === undefined ? '' : `: ${bar.error}`;
  return `${label}, ${stateLabels[bar.state]}, ${formatDuration((bar.end ?? end) - bar.start)}${tokens}${error}`;
}

function Axis({ span }: { span: number }): ReactNode {
  const step = tickStep(span);
  const ticks = Array.from(
    { length: Math.floor((span * 0.95) / step) + 1 },
    (_, index) => index * step,
  );
  return (
    <div className="waterfall-axis" aria-hidden>
      <div>
        {ticks.map((tick) => (
          <span key={tick} style={{ left: `${(tick / span) * 100}%` }}>
            {tick === 0 ? '0' : formatDuration(tick)}
          </span>
        ))}
      </div>
    </div>
  );
}
