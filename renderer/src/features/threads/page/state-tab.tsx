import { Button } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useParams } from 'react-router';
import { useCommands } from '../../../ui/commands.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { JsonView } from '../../../ui/json/json-view.tsx';
import { PageSkeleton } from '../../../ui/page-skeleton.tsx';
import { dropStateDraft, stateDraft } from './state-drafts.ts';
import { threadQuery } from '../queries.ts';
import { withWholeValues } from '../read-thread.ts';
import { StateEditor } from './state-editor.tsx';

/** The thread's current state, live; and its editor. */
export function Component(): ReactNode {
  const { threadId = '' } = useParams();
  const { data } = useQuery(threadQuery(threadId));
  // While it is edited, the values stay those at the start of the edit.
  const [edited, setEdited] = useState(() => stateDraft(threadId)?.base);
  const edit = (): void => {
    if (data !== undefined) void withWholeValues(data).then(setEdited);
  };
  const rebase = (): void => {
    dropStateDraft(threadId);
    setEdited(undefined);
    edit();
  };
  useCommands([
    { id: 'state:edit', label: 'Edit the state', keys: 'e', group: 'This thread', run: edit },
  ]);
  if (data === undefined) return <PageSkeleton />;
  const { thread, whole } = data;
  if (edited !== undefined) {
    return (
      <StateEditor
        key={edited.updated_at}
        base={edited}
        now={thread}
        onRebase={rebase}
        onClose={() => {
          dropStateDraft(threadId);
          setEdited(undefined);
        }}
      />
    );
  }
  const button = (
    <Button size="compact-xs" leftSection={<IconPencil size={14} aria-hidden />} onClick={edit}>
      Edit
    </Button>
  );
  if (Object.keys(thread.values).length === 0) {
    return (
      <EmptyState
        title="No state yet"
        text="What the agent keeps between runs will be here. It can also be set by hand, before the first run."
        action={button}
      />
    );
  }
  return (
    <div className="pane">
      {whole === undefined ? (
        <JsonView value={thread.values} label="State" actions={button} />
      ) : (
        <JsonView document={whole.document} part={whole.outline} label="State" actions={button} />
      )}
    </div>
  );
}
