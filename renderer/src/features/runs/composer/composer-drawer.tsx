import { Drawer } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useMatch } from 'react-router';
import { useQueryMembers } from '../../../state/query-members.ts';
import { DrawerComposer, type Written } from './drawer-composer.tsx';
import { runUuid } from '../run-queries.ts';
import './composer.css';

/**
 * The URL's members of the composer: `?compose=1`, with `for` (an agent), `preset` (one of its, by id or name), `input_of` (the run whose input it starts with),
 * `checkpoint` and `checkpoint_ns` where these are given.
 */
const closed = {
  compose: undefined,
  for: undefined,
  preset: undefined,
  input_of: undefined,
  checkpoint: undefined,
  checkpoint_ns: undefined,
};

/** The body fills the space below the title; the composer scrolls in it and keeps its buttons in view. */
const drawerStyles = {
  content: { display: 'flex', flexDirection: 'column' },
  body: { flex: 1, minHeight: 0, padding: 0 },
} as const;

/** The composer over a page: on the page's thread, or on a new one. It closes once its run is opened. */
export function ComposerDrawer({ isOpen }: { isOpen: boolean }): ReactNode {
  const [search, write] = useQueryMembers();
  const place = useTarget(search);
  const [written, setWritten] = useState<Written>();
  return (
    <Drawer
      opened={isOpen}
      onClose={() => write(closed)}
      position="right"
      size={480}
      title={place.threadId === undefined ? 'New run' : `Run on thread ${place.threadId}`}
      styles={drawerStyles}
      closeButtonProps={{ 'aria-label': 'Close the composer' }}
      overlayProps={{ backgroundOpacity: 0.2 }}
      transitionProps={{ duration: 120 }}
    >
      {isOpen && (
        <DrawerComposer
          key={Object.values(place).join(' ')}
          {...place}
          written={written}
          onWritten={setWritten}
        />
      )}
    </Drawer>
  );
}

/** Where a run of the composer goes, and what it starts with. */
export interface ComposerTarget {
  /** Undefined: a page of no thread. */
  readonly threadId: string | undefined;
  /** The whole id of the run whose input is the initial one. */
  readonly basedOn: string | undefined;
  readonly agentId: string | undefined;
  /** The id or the name of a preset of the agent. */
  readonly preset: string | undefined;
  readonly checkpointId: string;
  readonly checkpointNs: string;
}

function useTarget(search: URLSearchParams): ComposerTarget {
  const ofThread = useMatch('/threads/:threadId/*')?.params.threadId;
  const ofRun = useMatch('/threads/:threadId/runs/:runId')?.params.runId;
  const from = search.get('input_of') ?? undefined;
  const shown = ofThread && ofRun ? `${ofThread}_${runUuid(ofRun)}` : undefined;
  return {
    threadId: from?.slice(0, -37) ?? ofThread,
    basedOn: from ?? shown,
    agentId: search.get('for') ?? undefined,
    preset: search.get('preset') ?? undefined,
    checkpointId: search.get('checkpoint') ?? '',
    checkpointNs: search.get('checkpoint_ns') ?? '',
  };
}
