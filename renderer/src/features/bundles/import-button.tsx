import { Button, Modal, TextInput } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useNavigate } from 'react-router';
import { request } from '../../api/client.ts';
import { ErrorView } from '../../ui/error-view.tsx';
import { textOf } from '../../api/json-record.ts';
import type { Bundle } from './read-bundle.ts';
import { threadPath } from '../../state/page-paths.ts';
import { threadKeys } from '../../api/queries/thread-keys.ts';

/** Imports the thread of a bundle: under its own id, or another one as a second thread. */
export function ImportButton({ file, bundle }: { file: File; bundle: Bundle }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const [only] = bundle.threads;
  const ownId = only === undefined ? '' : (textOf(only.thread, 'thread_id') ?? '');
  const [id, setId] = useState(ownId);
  const navigate = useNavigate();
  const cache = useQueryClient();
  const take = useMutation({
    mutationFn: async () => {
      const query = id === ownId ? '' : `?thread_id=${encodeURIComponent(id)}`;
      const headers = { 'Content-Type': 'application/gzip' };
      await request(`/bundles${query}`, { method: 'POST', headers, body: file });
      await cache.invalidateQueries({ queryKey: threadKeys.all });
      await navigate(threadPath(id));
    },
  });
  const hindrance = whyNot(bundle);
  return (
    <>
      <Button
        variant="filled"
        leftSection={<IconDownload size={14} />}
        disabled={hindrance !== undefined}
        onClick={() => {
          // The error of an earlier attempt is not about this one.
          take.reset();
          setOpen(true);
        }}
      >
        Import as thread
      </Button>
      {hindrance !== undefined && <span className="dim">{hindrance}</span>}
      <Modal opened={isOpen} onClose={() => setOpen(false)} title="Import as thread">
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            take.mutate();
          }}
        >
          <TextInput
            label="Thread id"
            description={
              id === ownId
                ? 'Its own: its runs keep their ids, too.'
                : 'Another one: it becomes a second thread, and its runs get new ids.'
            }
            required
            data-autofocus
            value={id}
            onChange={({ currentTarget }) => {
              setId(currentTarget.value);
              take.reset();
            }}
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

/** Why the file cannot be imported here; undefined: it can. */
function whyNot({ problem, threads }: Bundle): string | undefined {
  if (problem !== undefined) return 'The service would refuse the file.';
  if (threads.length === 1) return undefined;
  if (threads.length === 0) return 'There is no thread in it.';
  return 'Files of several threads are imported with the command service threads import.';
}
