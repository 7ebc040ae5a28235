import { Select, Tabs } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Refusal } from '../../api/errors.ts';
import { textOf } from '../../api/json-record.ts';
import { ErrorView } from '../../ui/error-view.tsx';
import { revealed } from '../../ui/foreign-text.tsx';
import { formatNumber } from '../../ui/format.ts';
import { BundleOverview } from './bundle-overview.tsx';
import { BundleRecords } from './bundle-records.tsx';
import type { BundleThread } from './bundle-threads.ts';
import { ImportButton } from './import-button.tsx';
import type { Bundle } from './read-bundle.ts';

const kinds = ['runs', 'checkpoints', 'events', 'logs'] as const;

/** A bundle, read only: first who made it and what importing does, with the button to do it, then what is in it. */
export function BundleView({ file, bundle }: { file: File; bundle: Bundle }): ReactNode {
  const [index, setIndex] = useState(0);
  const { threads, problem, hasRecords } = bundle;
  const thread = hasRecords ? threads[index] : undefined;
  return (
    <>
      {problem !== undefined && (
        <ErrorView
          error={new Refusal(`${problem} What is shown is what could be read.`)}
          title="The bundle cannot be imported"
          compact
        />
      )}
      <Tabs defaultValue="overview" keepMounted={false} className="pane">
        <Tabs.List aria-label="Parts of the bundle">
          <Tabs.Tab value="overview">Overview</Tabs.Tab>
          {thread !== undefined &&
            kinds.map((kind) => (
              <Tabs.Tab key={kind} value={kind}>
                {kind[0]?.toUpperCase()}
                {kind.slice(1)} <span className="dim">{formatNumber(thread.counts[kind])}</span>
              </Tabs.Tab>
            ))}
          {thread !== undefined && threads.length > 1 && (
            <ThreadChoice threads={threads} index={index} onChoose={setIndex} />
          )}
        </Tabs.List>
        <Tabs.Panel value="overview" className="pane">
          <BundleOverview bundle={bundle} />
          <footer className="pane-foot">
            <ImportButton file={file} bundle={bundle} />
          </footer>
        </Tabs.Panel>
        {thread !== undefined &&
          kinds.map((kind) => (
            <Tabs.Panel key={kind} value={kind}>
              <BundleRecords key={index} kind={kind} thread={thread} />
            </Tabs.Panel>
          ))}
      </Tabs>
    </>
  );
}

function ThreadChoice({
  threads,
  index,
  onChoose,
}: {
  threads: readonly BundleThread[];
  index: number;
  onChoose: (index: number) => void;
}): ReactNode {
  return (
    <Select
      ml="auto"
      aria-label="Thread"
      w={280}
      searchable
      limit={100}
      allowDeselect={false}
      value={String(index)}
      onChange={(value) => onChoose(Number(value))}
      data={threads.map(({ thread: line }, at) => ({
        value: String(at),
        label: revealed(textOf(line, 'thread_id') ?? ''),
      }))}
    />
  );
}
