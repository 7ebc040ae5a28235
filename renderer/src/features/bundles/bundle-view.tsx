import { Select, Tabs } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { formatNumber, formatSize } from '../../ui/format.ts';
import { ShortId } from '../../ui/short-id.tsx';
import { BundleRecords } from './bundle-records.tsx';
import { ImportButton } from './import-button.tsx';
import type { Bundle, BundleThread } from './read-bundle.ts';
import { textOf } from '../../api/json-record.ts';

/** What is in a bundle, read only, and the way to make it a thread of this service. */
export function BundleView({ file, bundle }: { file: File; bundle: Bundle }): ReactNode {
  const [index, setIndex] = useState(0);
  const thread = bundle.threads[index];
  return (
    <>
      <div className="bundle-head">
        <strong>{bundle.name}</strong>
        <span className="dim">
          {formatSize(bundle.bytes)} · {bundle.writtenBy} · {bundle.createdAt.slice(0, 19)}
        </span>
        {bundle.agent !== undefined && (
          <span>
            agent <strong>{bundle.agent.id}</strong>{' '}
            {bundle.agent.version !== undefined && <ShortId id={bundle.agent.version} />}
          </span>
        )}
        {bundle.threads.length > 1 && (
          <Select
            aria-label="Thread"
            w={280}
            allowDeselect={false}
            value={String(index)}
            onChange={(value) => setIndex(Number(value))}
            data={bundle.threads.map(({ thread: line }, at) => ({
              value: String(at),
              label: textOf(line, 'thread_id') ?? '',
            }))}
          />
        )}
        <ImportButton file={file} bundle={bundle} />
      </div>
      {thread !== undefined && <ThreadRecords key={index} thread={thread} />}
    </>
  );
}

const kinds = ['runs', 'checkpoints', 'events', 'logs'] as const;

function ThreadRecords({ thread }: { thread: BundleThread }): ReactNode {
  return (
    <Tabs defaultValue="runs" keepMounted={false} className="bundle-tabs">
      <Tabs.List aria-label="Parts of the thread">
        {kinds.map((kind) => (
          <Tabs.Tab key={kind} value={kind}>
            {kind[0]?.toUpperCase()}
            {kind.slice(1)} <span className="dim">{formatNumber(thread[kind].length)}</span>
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {kinds.map((kind) => (
        <Tabs.Panel key={kind} value={kind}>
          <BundleRecords kind={kind} thread={thread} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
