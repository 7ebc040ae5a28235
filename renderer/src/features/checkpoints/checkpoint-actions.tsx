import { ActionIcon, Button, Menu } from '@mantine/core';
import {
  IconCopy,
  IconDots,
  IconDownload,
  IconGitFork,
  IconPencil,
  IconPlayerPlay,
} from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useNavigate } from 'react-router';
import { forkThread } from '../../api/fork-thread.ts';
import { useListSearch } from '../../state/list-search.ts';
import { copyText } from '../../ui/copied.ts';
import { showFailure } from './show-failure.tsx';
import type { Checkpoint } from './checkpoint.ts';
import { checkpointText } from './use-checkpoint-values.ts';
import { tip } from '../../ui/tip.tsx';
import { threadPath } from '../../state/page-paths.ts';

interface CheckpointActionsProps {
  readonly threadId: string;
  readonly checkpoint: Checkpoint;
  readonly onEdit: () => void;
}

/** The actions of a checkpoint: fork, edit and continue, run, copy, download. */
export function CheckpointActions(props: CheckpointActionsProps): ReactNode {
  const { threadId, checkpoint, onEdit } = props;
  const navigate = useNavigate();
  const listSearch = useListSearch();
  const composer = useListSearch({ compose: '1', checkpoint: checkpoint.id });
  const fork = useMutation({
    mutationFn: async () => forkThread(threadId, checkpoint),
    onSuccess: (copy) =>
      navigate({
        pathname: threadPath(copy, 'checkpoints'),
        search: listSearch,
      }),
    onError: (error) => showFailure(error, 'The thread could not be copied'),
  });
  const isRoot = checkpoint.ns === '';
  const reason = 'Copies and runs start at checkpoints of the whole graph, not within a sub-graph';
  const withText = (use: (text: string) => unknown): void =>
    void checkpointText(threadId, checkpoint.id).then(use, (error: unknown) =>
      showFailure(error, 'The values could not be read'),
    );

  return (
    <>
      {isRoot && (
        <Button
          {...tip('Edit this state and continue with it, on a copy of the thread')}
          size="compact-xs"
          leftSection={<IconPencil size={14} />}
          onClick={onEdit}
        >
          Edit and continue
        </Button>
      )}
      <Button
        {...tip(isRoot ? 'Copies the thread as of this checkpoint, and opens the copy' : reason)}
        size="compact-xs"
        leftSection={<IconGitFork size={14} />}
        loading={fork.isPending}
        data-disabled={!isRoot || undefined}
        aria-disabled={!isRoot || undefined}
        onClick={() => isRoot && fork.mutate()}
      >
        Fork from here
      </Button>
      {isRoot && (
        <Button
          component={Link}
          size="compact-xs"
          to={{
            pathname: threadPath(threadId, 'runs'),
            search: composer,
          }}
          leftSection={<IconPlayerPlay size={14} />}
        >
          Run from here
        </Button>
      )}
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon size="sm" aria-label="More about this checkpoint">
            <IconDots size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconCopy size={14} />} onClick={() => withText(copyText)}>
            Copy values
          </Menu.Item>
          <Menu.Item
            leftSection={<IconDownload size={14} />}
            onClick={() => withText((text) => download(text, `${checkpoint.id}.json`))}
          >
            Download as JSON
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}

function download(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
