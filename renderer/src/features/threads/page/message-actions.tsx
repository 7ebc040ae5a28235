import { ActionIcon, Menu } from '@mantine/core';
import { IconDots, IconGitFork, IconPencil, IconPlayerPlay } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { forkThread } from '../../../api/fork-thread.ts';
import { useListSearch } from '../../../state/list-search.ts';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { explainError } from '../../../ui/explain-error.ts';
import { formatDuration, formatUtc } from '../../../ui/format.ts';
import type { ReadMessage } from '../../../ui/messages/read-message.ts';
import { messageSourcesQuery } from './message-source.ts';
import { runPath, threadPath } from '../../../state/page-paths.ts';

interface MessageActionsProps {
  readonly threadId: string;
  /** Its id changes when the conversation has grown. */
  readonly newestMessage: string;
  readonly message: ReadMessage;
}

/** What can be done with a message: copied, its run opened, the thread forked or edited from where it was added. */
export function MessageActions({ message, ...of }: MessageActionsProps): ReactNode {
  const [wasOpened, setWasOpened] = useState(false);
  return (
    <span className="message-actions card">
      {message.text !== '' && <CopyButton value={message.text} label="Copy the message" />}
      {message.id !== undefined && (
        <Menu position="bottom-end" onOpen={() => setWasOpened(true)}>
          <Menu.Target>
            <ActionIcon size="sm" aria-label="More about this message">
              <IconDots size={14} aria-hidden />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {wasOpened && <SourceItems {...of} messageId={message.id} />}
          </Menu.Dropdown>
        </Menu>
      )}
    </span>
  );
}

interface SourceItemsProps extends Omit<MessageActionsProps, 'message'> {
  readonly messageId: string;
}

function SourceItems({ threadId, newestMessage, messageId }: SourceItemsProps): ReactNode {
  const sources = useQuery(messageSourcesQuery(threadId, newestMessage));
  const navigate = useNavigate();
  const search = useListSearch();
  const source = sources.data?.get(messageId);
  const atCheckpoint = useListSearch({ at: source?.checkpointId ?? '' });
  const fork = useMutation({
    mutationFn: (checkpoint: { readonly id: string }) => forkThread(threadId, checkpoint),
    onSuccess: (copy) => navigate({ pathname: threadPath(copy), search }),
  });
  if (sources.isPending) return <Menu.Label>Looking for its checkpoint</Menu.Label>;
  if (sources.error !== null) return <Menu.Label>{explainError(sources.error).what}</Menu.Label>;
  if (source === undefined)
    return (
      <Menu.Label>Its checkpoint is no longer kept: raise the history of the thread</Menu.Label>
    );
  const { checkpointId, runId, createdAt, stepMs } = source;
  return (
    <>
      <Menu.Label>
        {formatUtc(createdAt)}
        {stepMs !== undefined && `, took ${formatDuration(stepMs)}`}
      </Menu.Label>
      {runId !== undefined && (
        <Menu.Item
          component={Link}
          to={{ pathname: runPath({ thread_id: threadId, run_id: runId }), search }}
          leftSection={<IconPlayerPlay size={14} aria-hidden />}
        >
          Open its run
        </Menu.Item>
      )}
      <Menu.Item
        leftSection={<IconGitFork size={14} aria-hidden />}
        closeMenuOnClick={false}
        disabled={fork.isPending}
        onClick={() => fork.mutate({ id: checkpointId })}
      >
        Fork from here
      </Menu.Item>
      <Menu.Item
        component={Link}
        to={{ pathname: threadPath(threadId, 'checkpoints'), search: atCheckpoint }}
        leftSection={<IconPencil size={14} aria-hidden />}
      >
        Edit from here
      </Menu.Item>
      {fork.error !== null && <Menu.Label>The thread could not be copied</Menu.Label>}
    </>
  );
}
