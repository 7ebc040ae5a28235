import { Drawer } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useQueryMembers } from '../../state/query-members.ts';
import { useCommands } from '../../ui/commands.ts';
import { Composer } from './composer.tsx';
import { type Draft, draftOf, emptyDraft } from './composer-draft.ts';
import { textOf } from '../../api/json-record.ts';
import { sentRun, useSentHere } from './sent-runs.ts';
import { useDefaultAgent } from './use-default-agent.ts';
import './composer.css';

interface ComposerDrawerProps {
  readonly threadId: string;
  readonly agentId?: string | undefined;
  /** The run whose input is the initial one. */
  readonly basedOn?: string | undefined;
}

/** The URL's members of the composer: `?compose=1`, with `checkpoint` and `ns` where it starts. */
const closed = { compose: undefined, checkpoint: undefined, ns: undefined };

/** The body fills the space below the title; the composer scrolls in it and keeps its buttons in view. */
const drawerStyles = {
  content: { display: 'flex', flexDirection: 'column' },
  body: { flex: 1, minHeight: 0, padding: 0 },
} as const;

/** The composer over a page; open while the URL has `compose` or a `checkpoint`, closed once its run is opened. */
export function ComposerDrawer(props: ComposerDrawerProps): ReactNode {
  const [search, write] = useQueryMembers();
  const isOpen = search.has('compose') || search.has('checkpoint');
  const [written, setWritten] = useState<Written>();
  const close = (): void => write(closed);
  useCommands([
    {
      id: 'run.compose',
      label: 'Run an agent on this thread',
      keys: 'r',
      group: 'Run',
      run: () => write({ compose: '1' }),
    },
  ]);
  return (
    <Drawer
      opened={isOpen}
      onClose={close}
      position="right"
      size={480}
      title={`Run on thread ${props.threadId}`}
      styles={drawerStyles}
      closeButtonProps={{ 'aria-label': 'Close the composer' }}
      overlayProps={{ backgroundOpacity: 0.2 }}
      transitionProps={{ duration: 120 }}
    >
      {isOpen && (
        <DrawerComposer
          {...props}
          checkpointId={search.get('checkpoint') ?? ''}
          checkpointNs={search.get('ns') ?? ''}
          written={written}
          onWritten={setWritten}
        />
      )}
    </Drawer>
  );
}

/** The draft is kept while the page is open: a click outside the drawer closes it, and must not lose the input. */
interface Written {
  /** The checkpoint of the draft. */
  readonly from: string;
  readonly draft: Draft;
}

interface DrawerComposerProps extends ComposerDrawerProps {
  readonly checkpointId: string;
  readonly checkpointNs: string;
  readonly written: Written | undefined;
  readonly onWritten: (written: Written) => void;
}

function DrawerComposer(props: DrawerComposerProps): ReactNode {
  const { threadId, basedOn, checkpointId, checkpointNs, written, onWritten } = props;
  const known = useSentHere().find((run) => run.threadId === threadId);
  const firstAgent = useDefaultAgent();
  const agentId = props.agentId ?? textOf(known?.body ?? {}, 'agent_id') ?? firstAgent;
  if (agentId === undefined) return undefined;
  const sent = basedOn === undefined ? known : sentRun(basedOn);
  const initial = sent?.body === undefined ? emptyDraft(agentId) : draftOf(agentId, sent.body);
  const from = `${checkpointNs} ${checkpointId}`;
  const draft =
    written?.from === from ? written.draft : startAt(initial, checkpointId, checkpointNs);
  return (
    <Composer
      threadId={threadId}
      draft={draft}
      onDraft={(changed) => onWritten({ from, draft: changed })}
    />
  );
}

/** A run from a checkpoint continues; the input of an earlier one would be a new turn. */
function startAt(draft: Draft, checkpointId: string, checkpointNs: string): Draft {
  if (checkpointId === '') {
    return { ...draft, checkpointId: '', checkpointNs: '', start: 'input' };
  }
  return { ...draft, checkpointId, checkpointNs, start: 'continue' };
}
