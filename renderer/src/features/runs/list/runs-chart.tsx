import { useQuery } from '@tanstack/react-query';
import { type PointerEvent, type ReactNode, useRef, useState } from 'react';
import type { RunStats } from '../../../api/generated/types.gen.ts';
import { runStatsQuery } from '../../../api/queries/run-search.ts';
import { formatDuration, formatNumber } from '../../../ui/format.ts';
import { RunFigures } from './run-figures.tsx';
import { type RunsFilter, statsFilter } from './runs-filter.ts';
import { minuteOf, statsSpan, type TimeWindow } from './time-window.ts';

type Part = RunStats['over_time'][number];

const parts = 84;

interface RunsChartProps {
  readonly filter: RunsFilter;
  readonly onWindow: (window: TimeWindow) => void;
}

/** Runs and errors over time, with their figures; dragging over it sets the window of the list. */
export function RunsChart({ filter, onWindow }: RunsChartProps): ReactNode {
  const { data } = useQuery(runStatsQuery(statsFilter(filter), statsSpan(filter.window), parts));
  const track = useRef<HTMLDivElement>(null);
  const [drag, setDrag] = useState<{ readonly from: number; readonly to: number }>();
  const bars = data?.over_time ?? [];
  const most = Math.max(1, ...bars.map(({ runs }) => runs));
  const partAt = (event: PointerEvent): number => {
    const box = track.current?.getBoundingClientRect();
    if (box === undefined || box.width === 0) return 0;
    const at = Math.floor(((event.clientX - box.left) / box.width) * bars.length);
    return Math.min(bars.length - 1, Math.max(0, at));
  };
  const release = (): void => {
    setDrag(undefined);
    if (drag === undefined) return;
    const [first, last] = [bars[Math.min(drag.from, drag.to)], bars[Math.max(drag.from, drag.to)]];
    if (first !== undefined && last !== undefined) onWindow({ from: first.from, to: last.to });
  };
  return (
    <section className="runs-chart" aria-label="Runs over time">
      <RunFigures total={data?.total} />
      <div
        ref={track}
        className="runs-chart-track"
        onPointerDown={(event) => {
          if (event.button !== 0 || bars.length === 0) return;
          event.preventDefault();
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrag({ from: partAt(event), to: partAt(event) });
        }}
        onPointerMove={(event) => drag && setDrag({ ...drag, to: partAt(event) })}
        onPointerUp={release}
        onPointerCancel={() => setDrag(undefined)}
      >
        <svg
          viewBox={`0 0 ${Math.max(1, bars.length)} 100`}
          preserveAspectRatio="none"
          role="img"
          aria-label={chartSentence(data)}
        >
          {bars.map((part, index) => (
            <Bar key={part.from} part={part} index={index} most={most} />
          ))}
        </svg>
        {drag !== undefined && (
          <span
            className="chosen-range"
            style={{
              left: `${(Math.min(drag.from, drag.to) / bars.length) * 100}%`,
              width: `${((Math.abs(drag.to - drag.from) + 1) / bars.length) * 100}%`,
            }}
          />
        )}
      </div>
      <Axis bars={bars} />
    </section>
  );
}

function Bar({ part, index, most }: { part: Part; index: number; most: number }): ReactNode {
  const { runs, errors } = part;
  // One run is visible beside ten thousand.
  const heightOf = (count: number): number => (count === 0 ? 0 : Math.max(4, (count / most) * 96));
  const all = heightOf(runs);
  const failed = Math.min(all, heightOf(errors));
  return (
    <g>
      <title>{barSentence(part)}</title>
      <rect className="runs-chart-part" x={index} y={0} width={1} height={100} />
      <rect
        className="runs-chart-runs"
        x={index + 0.1}
        y={100 - all}
        width={0.8}
        height={all - failed}
      />
      <rect
        className="runs-chart-errors"
        x={index + 0.1}
        y={100 - failed}
        width={0.8}
        height={failed}
      />
    </g>
  );
}

function barSentence({ from, to, runs, errors, p50_ms, p95_ms }: Part): string {
  const times =
    p50_ms === undefined || p95_ms === undefined
      ? ''
      : `\np50 ${formatDuration(p50_ms)}, p95 ${formatDuration(p95_ms)}`;
  return `${minuteOf(from)} – ${minuteOf(to)} UTC\n${formatNumber(runs)} ${runs === 1 ? 'run' : 'runs'}, ${formatNumber(errors)} failed${times}`;
}

function chartSentence(data: RunStats | undefined): string {
  if (data === undefined) return 'Runs over time';
  return `${formatNumber(data.total.runs)} runs over time, ${formatNumber(data.total.errors)} failed`;
}

/** The times at the edges and in the middle. */
function Axis({ bars }: { bars: readonly Part[] }): ReactNode {
  const at = (share: number) => bars[Math.floor((bars.length - 1) * share)]?.from;
  const times = [at(0), at(0.25), at(0.5), at(0.75), bars.at(-1)?.to];
  return (
    <div className="runs-chart-axis row dim numeric" aria-hidden>
      {times.map((time, index) => (
        // Always five, in this order.
        <span key={index}>{time === undefined ? '' : minuteOf(time)}</span>
      ))}
    </div>
  );
}
