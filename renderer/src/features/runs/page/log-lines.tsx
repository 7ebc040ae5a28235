import { TextInput } from '@mantine/core';
import { type ReactNode, useMemo, useState } from 'react';
import { formatNumber } from '../../../ui/format.ts';
import { VirtualList } from '../../../ui/virtual-list/virtual-list.tsx';
import type { RunLogs } from '../../../api/generated/index.ts';

type LogLine = RunLogs['lines'][number];

const idOf = ({ id }: LogLine): number => id;

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
  return (
    <div className="pane">
      <div className="toolbar" role="toolbar" aria-label="Logs">
        <TextInput
          w={220}
          placeholder="Filter"
          aria-label="Filter lines by text"
          value={text}
          onChange={(change) => setText(change.currentTarget.value)}
        />
        <div className="event-types row wrap">
          <button
            type="button"
            aria-pressed={isErrorsOnly}
            onClick={() => setIsErrorsOnly((before) => !before)}
          >
            stderr only
          </button>
        </div>
        <span className="toolbar-state dim numeric">
          {dropped > 0 && (
            <span className="is-warning">{formatNumber(dropped)} older ones were dropped</span>
          )}
          {formatNumber(shown.length)} {shown.length === 1 ? 'line' : 'lines'}
        </span>
      </div>
      <VirtualList
        label="What the agent wrote"
        role="log"
        items={shown}
        idOf={idOf}
        rowHeight={18}
        isMeasured
        followsEnd
        renderRow={(line, index) => (
          <div
            className="log-line mono"
            data-stream={line.stream}
            data-begins={index > 0 && shown[index - 1]?.attempt !== line.attempt}
          >
            <time className="dim">{line.ts.slice(11, 23)}</time>
            <span className="log-stream">{line.stream}</span>
            <span className="log-text">{line.text}</span>
          </div>
        )}
      />
    </div>
  );
}
