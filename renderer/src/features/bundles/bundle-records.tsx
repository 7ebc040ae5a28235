import { type ReactNode, useState } from 'react';
import { revealed } from '../../ui/foreign-text.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { JsonView } from '../../ui/json/json-view.tsx';
import { SplitPane } from '../../ui/split-pane.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { VirtualList } from '../../ui/virtual-list/virtual-list.tsx';
import { textOf } from '../../api/json-record.ts';
import type { BundleLine } from './bundle-lines.ts';
import type { BundleThread, Kind } from './bundle-threads.ts';
import { jsonOf } from './read-bundle.ts';
import { valuesAt } from './values-at.ts';

const commands = { group: 'Bundle', next: 'Next record', previous: 'Previous record' };
const nothing: Readonly<Record<Kind, string>> = {
  runs: 'The thread never ran.',
  checkpoints: 'No checkpoint was retained.',
  events: 'Events are in a bundle of one run, while they are retained.',
  logs: 'The agent wrote nothing, or nothing of it was retained.',
};

const recordNames: Readonly<Record<Kind, string>> = {
  runs: 'Run',
  checkpoints: 'Checkpoint',
  events: 'Payload',
  logs: 'Text',
};

interface BundleRecordsProps {
  readonly kind: Kind;
  readonly thread: BundleThread;
}

/** The records of one kind, and the chosen one as JSON. */
export function BundleRecords({ kind, thread }: BundleRecordsProps): ReactNode {
  const records = thread[kind];
  const [chosen, setChosen] = useState(0);
  const record = records[chosen];
  if (record === undefined) return <EmptyState title={`No ${kind}`} text={nothing[kind]} />;
  const open = (item: BundleLine): void => setChosen(records.indexOf(item));
  return (
    <SplitPane
      name="bundle"
      label="Width of the list"
      initial={420}
      min={240}
      max={720}
      first={
        <VirtualList
          label={kind}
          items={records}
          idOf={(item) => String(records.indexOf(item))}
          rowHeight={28}
          currentId={String(chosen)}
          onMove={open}
          onOpen={open}
          commands={commands}
          renderRow={(item, index) => (
            <div className="bundle-row row" onClick={() => setChosen(index)}>
              <RowText kind={kind} line={item} />
            </div>
          )}
        />
      }
      second={<JsonView value={shown(kind, thread, record)} label={recordNames[kind]} />}
    />
  );
}

function RowText({ kind, line }: { kind: Kind; line: BundleLine }): ReactNode {
  switch (kind) {
    case 'runs':
      return (
        <>
          <StatusBadge status={memberText(line, 'status')} />
          <span>{memberText(line, 'agent_id')}</span>
          <span className="mono dim">{memberText(line, 'run_uuid')}</span>
        </>
      );
    case 'checkpoints':
      return (
        <>
          <span className="mono">{memberText(line, 'checkpoint_id')}</span>
          <span className="dim">{memberText(line, 'ns')}</span>
          <span className="dim mono">{memberText(line, 'ts').slice(11, 23)}</span>
        </>
      );
    case 'events':
      return (
        <>
          <span className="mono dim">{String(line['id'])}</span>
          <span>{memberText(line, 'mode')}</span>
          <span className="clip mono">{memberText(line, 'data')}</span>
        </>
      );
    case 'logs':
      return (
        <>
          <span className="dim">{memberText(line, 'stream')}</span>
          <span className="clip mono">{memberText(line, 'text')}</span>
        </>
      );
  }
}

/** A member as text that fits into a row. */
function memberText(line: BundleLine, member: string): string {
  return revealed(textOf(line, member) ?? '');
}

function shown(kind: Kind, thread: BundleThread, line: BundleLine): unknown {
  switch (kind) {
    case 'runs': {
      const { output: _output, kind: _kind, ...rest } = line;
      const output = jsonOf(line, 'output');
      return output === undefined ? rest : { ...rest, output };
    }
    case 'checkpoints':
      return { values: valuesAt(thread, line), metadata: jsonOf(line, 'metadata_json') };
    case 'events':
      return jsonOf(line, 'data');
    case 'logs':
      return textOf(line, 'text');
  }
}
