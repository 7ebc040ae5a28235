import { Button, Group, Modal, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ApiError } from '../../../api/errors.ts';
import { createThread } from '../../../api/generated/sdk.gen.ts';
import { unhideThreads } from '../../../state/hidden-threads.ts';
import { ErrorView } from '../../../ui/error-view.tsx';
import { hasProblem, MetadataFields, type MetadataLine, metadataOf } from './metadata-fields.tsx';
import { threadKeys } from '../../../api/queries/thread-keys.ts';

interface CreateThreadProps {
  readonly onClose: () => void;
  readonly onCreated: (threadId: string) => void;
}

/** A form for a new thread: id and metadata are optional. */
export function CreateThread({ onClose, onCreated }: CreateThreadProps): ReactNode {
  const queryClient = useQueryClient();
  const [id, setId] = useState('');
  const [lines, setLines] = useState<readonly MetadataLine[]>([]);
  const creation = useMutation({
    mutationFn: async () => {
      const body = {
        metadata: metadataOf(lines),
        ...(id.trim() === '' ? {} : { thread_id: id.trim() }),
      };
      const { data } = await createThread({ body, throwOnError: true });
      return data;
    },
    onSuccess: ({ thread_id }) => {
      unhideThreads([thread_id]);
      void queryClient.invalidateQueries({ queryKey: threadKeys.heads });
      onCreated(thread_id);
    },
  });
  const isTaken = creation.error instanceof ApiError && creation.error.code === 'thread_exists';
  return (
    <Modal opened onClose={onClose} title="New thread">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!hasProblem(lines)) creation.mutate();
        }}
      >
        <TextInput
          label="Id"
          description="Letters, digits and . _ : ~ - Empty: the service makes one."
          value={id}
          onChange={(event) => {
            setId(event.currentTarget.value);
            // The error of the previous id does not apply to this one.
            creation.reset();
          }}
          error={isTaken && 'A thread with this id exists.'}
          data-autofocus
        />
        <MetadataFields lines={lines} onChange={setLines} />
        {creation.isError && !isTaken && (
          <ErrorView error={creation.error} title="The thread could not be created" compact />
        )}
        <Group justify="flex-end" mt="lg" gap="sm">
          {isTaken && <Button onClick={() => onCreated(id.trim())}>Open that one</Button>}
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            variant="filled"
            loading={creation.isPending}
            disabled={hasProblem(lines)}
          >
            Create thread
          </Button>
        </Group>
      </form>
    </Modal>
  );
}
