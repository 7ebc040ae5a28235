import { SegmentedControl } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { createThread } from '../../../api/generated/index.ts';
import { usePresets } from '../../../api/queries/presets.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorView } from '../../../ui/error-view.tsx';
import { PageSkeleton } from '../../../ui/page-skeleton.tsx';
import type { ComposerTarget } from './composer-drawer.tsx';
import { type Draft, draftOf, emptyDraft } from './composer-draft.ts';
import { withPreset } from './preset-draft.ts';
import { Composer } from './composer.tsx';
import { useComposerStart } from './use-composer-start.ts';

/** The draft is kept while the studio is open: a click outside the drawer closes it, and must not lose the input. */
export interface Written {
  /** The page and the checkpoint of the draft. */
  readonly at: string;
  readonly draft: Draft;
}

interface DrawerComposerProps extends ComposerTarget {
  readonly written: Written | undefined;
  readonly onWritten: (written: Written) => void;
}

type Target = 'thread' | 'new' | 'none';

/** The composer with the choice of its thread, once it is known what it starts with. */
export function DrawerComposer(props: DrawerComposerProps): ReactNode {
  const { written, onWritten, ...place } = props;
  const { threadId, checkpointId, checkpointNs } = place;
  const [target, setTarget] = useState<Target>(threadId === undefined ? 'new' : 'thread');
  const start = useComposerStart(place);
  const presets = usePresets(start.agentId ?? '');
  if (start.error !== null)
    return (
      <ErrorView
        error={start.error}
        title="The agents could not be read"
        onRetry={start.retry}
        compact
      />
    );
  if (start.isPending) return <PageSkeleton label="Reading the agents" />;
  if (start.agentId === undefined)
    return <EmptyState title="No agents" text="The manifest of the folder has none to run." />;
  if (place.preset !== undefined && presets.isPending)
    return <PageSkeleton label="Reading the presets" />;
  const initial = withPreset(
    start.body ? draftOf(start.agentId, start.body) : emptyDraft(start.agentId),
    presets.list.find(({ id, name }) => id === place.preset || name === place.preset),
  );
  const at = Object.values(place).join(' ');
  const draft =
    written?.at === at
      ? written.draft
      : threadId === undefined
        ? fresh(initial)
        : startAt(initial, checkpointId, checkpointNs);
  return (
    <section className="pane" aria-label="New run">
      <header className="pane-head">
        <SegmentedControl
          aria-label="Thread of the run"
          size="xs"
          value={target}
          data={[
            ...(threadId === undefined ? [] : [{ value: 'thread', label: 'This thread' }]),
            { value: 'new', label: 'New thread' },
            { value: 'none', label: 'No thread' },
          ]}
          // The control has these values alone.
          onChange={(value) => setTarget(value as Target)}
        />
        {target === 'none' && <span className="dim">Deleted after 72 hours</span>}
      </header>
      <Composer
        threadId={target === 'thread' && threadId !== undefined ? threadId : null}
        makeThread={target === 'new' ? newThread : undefined}
        draft={target === 'thread' ? draft : { ...draft, checkpointId: '', checkpointNs: '' }}
        onDraft={(changed) => onWritten({ at, draft: changed })}
      />
    </section>
  );
}

async function newThread(): Promise<string> {
  return (await createThread({ body: {}, throwOnError: true })).data.thread_id;
}

/** The same run on another thread, without what belongs to the old one. */
function fresh(draft: Draft): Draft {
  return { ...draft, start: 'input', checkpointId: '', checkpointNs: '' };
}

/** A run from a checkpoint continues; the input of an earlier one would be a new turn. */
function startAt(draft: Draft, checkpointId: string, checkpointNs: string): Draft {
  if (checkpointId === '') {
    return { ...draft, checkpointId: '', checkpointNs: '', start: 'input' };
  }
  return { ...draft, checkpointId, checkpointNs, start: 'continue' };
}
