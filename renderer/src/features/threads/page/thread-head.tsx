import { ActionIcon, Button, Menu } from '@mantine/core';
import {
  IconCopyPlus,
  IconDots,
  IconExternalLink,
  IconFileExport,
  IconPlayerPlay,
  IconTags,
  IconTrash,
} from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link, useLocation, useNavigate } from 'react-router';
import type { Run, ThreadWithValues } from '../../../api/generated/types.gen.ts';
import { forkThread } from '../../../api/fork-thread.ts';
import { useQueryMembers } from '../../../state/query-members.ts';
import { useCommands } from '../../../ui/commands.ts';
import { ErrorView } from '../../../ui/error-view.tsx';
import { exportBundle } from '../../../api/export-bundle.ts';
import { ListButton } from '../../../ui/folded-list.tsx';
import { ShortId } from '../../../ui/short-id.tsx';
import { StatusBadge } from '../../../ui/status-badge.tsx';
import { Elapsed } from '../../../ui/time-ago.tsx';
import { deleteThreadsWithUndo } from '../actions/delete-threads.ts';
import { EditMetadata } from '../actions/edit-metadata.tsx';
import { agentPath, runPath, threadPath } from '../../../state/page-paths.ts';
import { ThreadMetadata } from './thread-metadata.tsx';
import { threadKeys } from '../../../api/queries/thread-keys.ts';

interface ThreadHeadProps {
  readonly thread: ThreadWithValues;
  /** Of its newest run; of a copy without runs, that of its source. */
  readonly agentId: string | undefined;
  readonly newestRun: Run | undefined;
  /** The active run. */
  readonly activeRun: Run | undefined;
  /** A run is open, whose own header has its status and agent: the tabs are instead of those of the thread. */
  readonly isOfRun: boolean;
  readonly note: ReactNode;
  readonly tabs: ReactNode;
}

/** The header of a thread: its id, status and metadata, with the actions for the whole of it, and its tabs. */
export function ThreadHead(props: ThreadHeadProps): ReactNode {
  const { thread, agentId, newestRun, activeRun, isOfRun, note, tabs } = props;
  const { thread_id: id, status } = thread;
  const navigate = useNavigate();
  const { search } = useLocation();
  const queryClient = useQueryClient();
  const [isEditing, setEditing] = useState(false);
  const copy = useMutation({
    mutationFn: () => forkThread(id),
    onSuccess: (made) => {
      void queryClient.invalidateQueries({ queryKey: threadKeys.heads });
      void navigate({ pathname: threadPath(made), search });
    },
  });
  const save = useMutation({ mutationFn: () => exportBundle(id) });
  const remove = (): void => {
    deleteThreadsWithUndo([id], queryClient);
    void navigate({ pathname: '/threads', search });
  };
  const [, write] = useQueryMembers();
  const compose = (): void => write({ compose: '1' });
  useCommands([
    command('run', 'Run on this thread', compose, 'r'),
    command('copy', 'Copy this thread', () => copy.mutate()),
    command('export', 'Export this thread as a bundle', () => save.mutate()),
    command('metadata', 'Edit metadata of this thread', () => setEditing(true), 'm'),
    command('delete', 'Delete this thread', remove),
  ]);
  const since = status === 'busy' ? activeRun?.created_at : undefined;
  return (
    <>
      <header className="thread-head" data-of-run={isOfRun || undefined}>
        <div className="thread-head-title row">
          <ListButton />
          <h1>
            <span className="dim">thread</span> <ShortId id={id} length={24} />
          </h1>
        </div>
        {!isOfRun && (
          <div className="row">
            <StatusBadge
              status={status}
              filled
              detail={since === undefined ? undefined : <Elapsed since={since} />}
            />
            {agentId !== undefined && (
              <Link className="clip dim" to={agentPath(agentId)}>
                {agentId}
              </Link>
            )}
            <ThreadMetadata metadata={thread.metadata} onEdit={() => setEditing(true)} />
          </div>
        )}
        <div className="thread-head-actions row">
          <Button
            variant="filled"
            leftSection={<IconPlayerPlay size={14} aria-hidden />}
            onClick={compose}
          >
            Run
          </Button>
          <Menu position="bottom-end">
            <Menu.Target>
              <ActionIcon
                aria-label="More actions for this thread"
                loading={copy.isPending || save.isPending}
              >
                <IconDots size={16} aria-hidden />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item leftSection={<IconCopyPlus size={14} />} onClick={() => copy.mutate()}>
                Copy thread
              </Menu.Item>
              <Menu.Item leftSection={<IconTags size={14} />} onClick={() => setEditing(true)}>
                Edit metadata
              </Menu.Item>
              <Menu.Item leftSection={<IconFileExport size={14} />} onClick={() => save.mutate()}>
                Export as bundle
              </Menu.Item>
              {newestRun !== undefined && (
                <Menu.Item
                  leftSection={<IconExternalLink size={14} />}
                  component={Link}
                  to={runPath(newestRun)}
                >
                  Open newest run
                </Menu.Item>
              )}
              <Menu.Divider />
              <Menu.Item color="red" leftSection={<IconTrash size={14} />} onClick={remove}>
                Delete thread
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </div>
        <div className="thread-head-note">{note}</div>
        {tabs}
      </header>
      {copy.isError && (
        <ErrorView error={copy.error} title="The thread could not be copied" compact />
      )}
      {save.isError && (
        <ErrorView error={save.error} title="The thread could not be exported" compact />
      )}
      {isEditing && <EditMetadata thread={thread} onClose={() => setEditing(false)} />}
    </>
  );
}

function command(id: string, label: string, run: () => void, keys?: string) {
  return {
    id: `thread:${id}`,
    label,
    group: 'This thread',
    run,
    ...(keys === undefined ? {} : { keys }),
  };
}
