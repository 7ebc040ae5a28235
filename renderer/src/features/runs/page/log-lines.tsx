import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useMemo, useState } from 'react';
import { formatNumber } from '../../../ui/format.ts';
import { useStickToEnd } from '../../../ui/use-stick-to-end.ts';
import type { RunLogs } from '../../../api/generated/index.ts';

const lineHeight = 18;

/** Lines of a log, virtual, to be searched; stays at the end until the user scrolls up. */
export function LogLines({ logs }: { logs: RunLogs }): ReactNode {
  const { lines, dropped } = logs;
  const [text, setText] = useState('');
  const [isErrorsOnly, setIsErrorsOnly] = useState(false);
  const shown = useMemo(() => {
    const wanted = text.toLowerCase();
    return lines.filter(
      (line) =>
        (!isErrorsOnly || line.stream === 'stderr') &&
        (wanted === '' || line.text.toLowerCase().includes(wanted)),
    );
  }, [lines, text, isErrorsOnly]);
  const { scroller } = useStickToEnd([shown]);
  // oxlint-disable-next-line react/incompatible-library -- not compiled by React's compiler, so nothing is memoized
  const virtualizer = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => lineHeight,
    overscan: 20,
  });
  return (
    <div className="log-tab">
      <div className="event-toolbar" role="toolbar" aria-label="Logs">
        <input
          className="plain-search"
          placeholder="Filter"
          aria-label="Filter lines by text"
          value={text}
          onChange={(change) => setText(change.currentTarget.value)}
        />
        <div className="event-types">
          <button
            type="button"
            aria-pressed={isErrorsOnly}
            onClick={() => setIsErrorsOnly((before) => !before)}
          >
            stderr only
          </button>
        </div>
        <span className="event-state">
          {dropped > 0 && (
            <span className="is-warning">{formatNumber(dropped)} older ones were dropped</span>
          )}
          {formatNumber(shown.length)} {shown.length === 1 ? 'line' : 'lines'}
        </span>
      </div>
      <div
        className="log-scroll"
        ref={scroller}
        tabIndex={0}
        role="log"
        aria-label="What the agent wrote"
      >
        <div style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(({ index, start }) => {
            const line = shown[index];
            if (line === undefined) return undefined;
            const before = shown[index - 1];
            return (
              <div
                key={index}
                ref={virtualizer.measureElement}
                data-index={index}
                className="log-line"
                data-stream={line.stream}
                data-begins={before !== undefined && before.attempt !== line.attempt}
                style={{ transform: `translateY(${start}px)` }}
              >
                <time>{line.ts.slice(11, 23)}</time>
                <span className="log-stream">{line.stream}</span>
                <span className="log-text">{line.text}</span>
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}
