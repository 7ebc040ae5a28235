import { Button, Modal, TextInput } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useNavigate } from 'react-router';
import { request } from '../../api/client.ts';
import { ErrorView } from '../../ui/error-view.tsx';
import { textOf } from '../../api/json-record.ts';
import type { Bundle } from './read-bundle.ts';

/** Takes the thread of a bundle into the service: under its own id, or another one as a second thread. */
export function ImportButton({ file, bundle }: { file: File; bundle: Bundle }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const [only, ...others] = bundle.threads;
  const ownId = only === undefined ? '' : (textOf(only.thread, 'thread_id') ?? '');
  const [id, setId] = useState(ownId);
  const navigate = useNavigate();
  const cache = useQueryClient();
  const take = useMutation({
    mutationFn: async () => {
      const query = id === ownId ? '' : `?thread_id=${encodeURIComponent(id)}`;
      const headers = { 'Content-Type': 'application/gzip' };
      await request(`/bundles${query}`, { method: 'POST', headers, body: file });
      await cache.invalidateQueries({ queryKey: ['threads'] });
      await navigate(`/threads/${encodeURIComponent(id)}`);
    },
  });
  const isOne = others.length === 0 && only !== undefined;
  return (
    <>
      <Button
        className="bundle-import"
        variant="filled"
        leftSection={<IconDownload size={14} />}
        disabled={!isOne}
        title={isOne ? undefined : 'Several threads: use `service threads import <file>`.'}
        onClick={() => setOpen(true)}
      >
        Import as thread
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title="Import as thread">
        <form
          className="bundle-form"
          onSubmit={(event) => {
            event.preventDefault();
            take.mutate();
          }}
        >
          <TextInput
            label="Thread id"
            description={
              id === ownId
                ? 'Its own. Runs that had not ended are cancelled.'
                : 'Another one: a second thread. Runs that had not ended are cancelled.'
            }
            required
            value={id}
            onChange={({ currentTarget }) => setId(currentTarget.value)}
          />
          {take.isError && (
            <ErrorView error={take.error} title="The bundle was not imported" compact />
          )}
          <Button type="submit" variant="filled" loading={take.isPending} disabled={id === ''}>
            Import
          </Button>
        </form>
      </Modal>
    </>
  );
}
