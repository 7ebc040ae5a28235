import { Checkbox, SegmentedControl, Select, TextInput } from '@mantine/core';
import { type ReactNode, useMemo, useState } from 'react';
import type { LogLine } from '../../../../electron/src/ipc/contract.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorView } from '../../ui/error-view.tsx';
import { formatNumber } from '../../ui/format.ts';
import { VirtualList } from '../../ui/virtual-list/virtual-list.tsx';
import { fieldsText, filterLines, type LogFilter } from './log-filter.ts';

const idOf = ({ id }: LogLine): number => id;
const everything: LogFilter = {
  level: 'all',
  source: 'all',
  text: '',
  errorsFirst: false,
  requests: false,
};

interface LogPanelProps {
  readonly lines: readonly LogLine[];
  readonly error: unknown;
}

/** The lines with their filters; stays at the end until the user scrolls up. */
export function LogPanel({ lines, error }: LogPanelProps): ReactNode {
  const [filter, setFilter] = useState(everything);
  const change = (part: Partial<LogFilter>): void => setFilter({ ...filter, ...part });
  const shown = useMemo(() => filterLines(lines, filter), [lines, filter]);
  const sources = useMemo(() => [...new Set(lines.map(({ source }) => source))], [lines]);
  const errors = useMemo(() => lines.filter(({ level }) => level === 'error').length, [lines]);
  return (
    <div className="pane">
      <header className="toolbar" role="toolbar" aria-label="Filters">
        <h1>Logs</h1>
        <SegmentedControl
          aria-label="Level"
          data={[
            { value: 'all', label: 'All' },
            { value: 'warn', label: 'Warnings' },
            { value: 'error', label: errors === 0 ? 'Errors' : `Errors ${formatNumber(errors)}` },
          ]}
          value={filter.level}
          onChange={(level) => change({ level })}
        />
        <Select
          aria-label="Source"
          allowDeselect={false}
          w={180}
          data={[
            { value: 'all', label: 'All sources' },
            ...sources.map((source) => ({ value: source, label: source })),
          ]}
          value={filter.source}
          onChange={(source) => change({ source: source ?? 'all' })}
        />
        <TextInput
          aria-label="Filter lines by text"
          placeholder="Filter"
          w={200}
          value={filter.text}
          onChange={({ currentTarget }) => change({ text: currentTarget.value })}
        />
        <Checkbox
          label="Errors first"
          checked={filter.errorsFirst}
          onChange={({ currentTarget }) => change({ errorsFirst: currentTarget.checked })}
        />
        <Checkbox
          label="Successful requests"
          checked={filter.requests}
          onChange={({ currentTarget }) => change({ requests: currentTarget.checked })}
        />
        <span className="toolbar-state dim numeric">
          {formatNumber(shown.length)} of {formatNumber(lines.length)}
        </span>
      </header>
      {error !== undefined && <ErrorView error={error} title="The log could not be read" compact />}
      {shown.length === 0 ? (
        <EmptyState
          title={lines.length === 0 ? 'Nothing was logged yet' : 'No matching lines'}
          text={
            lines.length === 0
              ? 'The service and its guests write here once they run.'
              : 'Change the level, the source or the text.'
          }
        />
      ) : (
        <Lines key={String(filter.errorsFirst)} lines={shown} followsEnd={!filter.errorsFirst} />
      )}
    </div>
  );
}

interface LinesProps {
  readonly lines: readonly LogLine[];
  readonly followsEnd: boolean;
}

function Lines({ lines, followsEnd }: LinesProps): ReactNode {
  const [open, setOpen] = useState<number>();
  return (
    <VirtualList
      label="Lines"
      role="log"
      items={lines}
      idOf={idOf}
      rowHeight={20}
      isMeasured
      followsEnd={followsEnd}
      renderRow={(line) => (
        <div className="logs-line" data-level={line.level}>
          <button
            type="button"
            className="row mono"
            aria-expanded={open === line.id}
            onClick={() => setOpen(open === line.id ? undefined : line.id)}
          >
            <time className="dim" dateTime={new Date(line.ts).toISOString()}>
              {new Date(line.ts).toISOString().slice(11, 23)}
            </time>
            <span className="logs-level">{line.level}</span>
            <span className="logs-source clip dim">{line.source}</span>
            <span className="logs-text clip">
              {line.message} <span className="dim">{fieldsText(line)}</span>
            </span>
          </button>
          {open === line.id && <pre className="code-box">{details(line)}</pre>}
        </div>
      )}
    />
  );
}

function details({ message, fields }: LogLine): string {
  const members = Object.entries(fields).map(
    ([name, value]) =>
      `${name}: ${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}`,
  );
  return [message, ...members].join('\n');
}
