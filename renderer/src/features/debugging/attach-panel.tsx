import { Button } from '@mantine/core';
import { IconCheck, IconCopy, IconExternalLink, IconFilePlus } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { DesktopBridge, LaunchConfiguration } from '../../../../electron/src/ipc/contract.ts';
import { valueOf } from '../../api/desktop-reply.ts';
import { useCopied } from '../../ui/copied.ts';
import { ErrorView } from '../../ui/error-view.tsx';

interface AttachPanelProps {
  readonly configuration: LaunchConfiguration;
  /** Absent in a browser, which has no access to files and the editor. */
  readonly bridge: DesktopBridge | undefined;
}

/** The entry for VS Code's launch.json: to copy, or to add to the file by one click that can be undone. */
export function AttachPanel({ configuration, bridge }: AttachPanelProps): ReactNode {
  const text = JSON.stringify(configuration, undefined, 2);
  const { isCopied, copy } = useCopied();
  return (
    <section>
      <h2>Attach from VS Code</h2>
      <p className="dim">
        Open the folder of the agents in VS Code, choose this configuration under Run and Debug, and
        press F5.
      </p>
      <div className="debugging-actions row wrap">
        <Button
          leftSection={isCopied ? <IconCheck size={14} /> : <IconCopy size={14} />}
          onClick={() => copy(text)}
        >
          {isCopied ? 'Copied' : 'Copy configuration'}
        </Button>
        {bridge !== undefined && (
          <LaunchFileActions configuration={configuration} bridge={bridge} />
        )}
      </div>
      <pre className="code-box" tabIndex={0} aria-label="Launch configuration">
        {text}
      </pre>
    </section>
  );
}

interface LaunchFileActionsProps {
  readonly configuration: LaunchConfiguration;
  readonly bridge: DesktopBridge;
}

function LaunchFileActions({ configuration, bridge }: LaunchFileActionsProps): ReactNode {
  const add = useMutation({
    mutationFn: async () => valueOf(await bridge.debugging.addLaunchConfiguration(configuration)),
  });
  const undo = useMutation({
    mutationFn: async () => valueOf(await bridge.debugging.undoLaunchConfiguration()),
    onSuccess: () => add.reset(),
  });
  const open = useMutation({
    mutationFn: async (file: string) => valueOf(await bridge.editor.open({ file })),
  });
  return (
    <>
      <Button
        leftSection={<IconFilePlus size={14} />}
        loading={add.isPending}
        onClick={() => {
          undo.reset();
          add.mutate();
        }}
      >
        Add to .vscode/launch.json
      </Button>
      <Button leftSection={<IconExternalLink size={14} />} onClick={() => open.mutate('.')}>
        Open folder in VS Code
      </Button>
      {add.data !== undefined && (
        <p className="row" role="status">
          <IconCheck className="tone" data-tone="completed" size={14} aria-hidden />
          {add.data.isNew ? 'Added to' : 'Updated in'}{' '}
          <button
            type="button"
            className="link-button"
            onClick={() => open.mutate('.vscode/launch.json')}
          >
            .vscode/launch.json
          </button>
          <Button size="compact-xs" loading={undo.isPending} onClick={() => undo.mutate()}>
            Undo
          </Button>
        </p>
      )}
      {undo.isSuccess && (
        <p className="row" role="status">
          .vscode/launch.json is restored.
        </p>
      )}
      {[add, undo, open].map(
        ({ error }, index) =>
          error !== null && (
            <ErrorView
              key={index}
              error={error}
              title={titles[index] ?? 'That did not work'}
              compact
            />
          ),
      )}
    </>
  );
}

const titles = [
  'The configuration was not added',
  'The file was not restored',
  'VS Code was not opened',
];
