import { Button, FileButton } from '@mantine/core';
import { IconFolderOpen } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import type { DragEvent, ReactNode } from 'react';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorView } from '../../ui/error-view.tsx';
import { useServiceUrl } from '../../api/queries/service-url.ts';
import { BundleView } from './bundle-view.tsx';
import './bundles.css';
import { readBundle } from './read-bundle.ts';

/** A thread or run from a file: read here first, and imported on request. */
export function Component(): ReactNode {
  const serviceUrl = useServiceUrl();
  const open = useMutation({
    mutationFn: async (file: File) => ({ file, bundle: await readBundle(file) }),
  });
  const take = (file: File | null | undefined): void => {
    if (file !== null && file !== undefined) open.mutate(file);
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    take(event.dataTransfer.files[0]);
  };
  const choose = (
    <FileButton onChange={take} inputProps={{ 'aria-label': 'Bundle file' }}>
      {(props) => (
        <Button
          {...props}
          variant={open.data === undefined ? 'filled' : 'default'}
          leftSection={<IconFolderOpen size={14} />}
          loading={open.isPending}
        >
          {open.data === undefined ? 'Open bundle' : 'Open another'}
        </Button>
      )}
    </FileButton>
  );
  return (
    <div className="pane" onDragOver={(event) => event.preventDefault()} onDrop={drop}>
      <header className="pane-head">
        <h1>Bundles</h1>
        {open.data !== undefined && (
          <>
            <span className="clip grow dim">
              <ForeignText text={open.data.bundle.name} />
            </span>
            {choose}
          </>
        )}
      </header>
      {open.isError && (
        <ErrorView error={open.error} title="The bundle could not be opened" compact />
      )}
      {open.data === undefined ? (
        <EmptyState
          title="Open a bundle"
          text={
            <>
              A bundle is one file with a thread: its runs, checkpoints and, for a run, its events.
              Export one from the menu of a thread, or with <code>service run --bundle</code>, and
              open it here or on another machine. You can also drop it here. It is only read: its
              content and its stated maker are shown before anything is imported.
            </>
          }
          action={choose}
          curl={`curl -o thread.bundle.jsonl.gz ${serviceUrl}/threads/<id>/bundle`}
        />
      ) : (
        <BundleView
          key={open.data.file.name + String(open.submittedAt)}
          file={open.data.file}
          bundle={open.data.bundle}
        />
      )}
    </div>
  );
}
