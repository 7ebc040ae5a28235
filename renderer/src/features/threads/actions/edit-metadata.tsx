import { Button, Group, Modal, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { patchThread } from '../../../api/generated/sdk.gen.ts';
import type { Thread } from '../../../api/generated/types.gen.ts';
import { ErrorView } from '../../../ui/error-view.tsx';
import { hasProblem, MetadataFields, type MetadataLine, metadataOf } from './metadata-fields.tsx';
import { threadChanged } from '../../../api/queries/thread-keys.ts';

interface EditMetadataProps {
  readonly thread: Pick<Thread, 'thread_id' | 'metadata'>;
  readonly onClose: () => void;
}

/** Changes a thread's metadata. PATCH merges by key, so an existing key can be emptied but not removed. */
export function EditMetadata({ thread, onClose }: EditMetadataProps): ReactNode {
  const queryClient = useQueryClient();
  const [lines, setLines] = useState<readonly MetadataLine[]>(() =>
    Object.entries(thread.metadata).map(([key, value]) => ({ key, value, isExisting: true })),
  );
  const change = useMutation({
    mutationFn: () => {
      const metadata = Object.fromEntries(
        Object.entries(metadataOf(lines)).filter(([key, value]) => thread.metadata[key] !== value),
      );
      const path = { thread_id: thread.thread_id };
      return patchThread({ path, body: { metadata }, throwOnError: true });
    },
    onSuccess: () => {
      void threadChanged(queryClient, thread.thread_id);
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title="Metadata">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!hasProblem(lines)) change.mutate();
        }}
      >
        <MetadataFields lines={lines} onChange={setLines} />
        <Text size="xs" c="dimmed" mt="sm">
          Keys are merged: an existing one can be emptied, but not removed. All values are text.
        </Text>
        {change.isError && (
          <ErrorView error={change.error} title="The metadata could not be changed" compact />
        )}
        <Group justify="flex-end" mt="lg" gap="sm">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            variant="filled"
            loading={change.isPending}
            disabled={hasProblem(lines)}
          >
            Save metadata
          </Button>
        </Group>
      </form>
    </Modal>
  );
}
