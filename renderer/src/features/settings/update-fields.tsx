import { Button, Select, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type {
  DesktopBridge,
  DesktopSettings,
  SettingsPatch,
  UpdateView,
} from '../../../../electron/src/ipc/contract.ts';
import { valueOf } from '../../api/desktop-reply.ts';
import { ErrorView } from '../../ui/error-view.tsx';

interface UpdateFieldsProps {
  readonly bridge: DesktopBridge;
  readonly draft: DesktopSettings;
  readonly set: (part: SettingsPatch) => void;
}

/** Where new versions come from, if from anywhere, and a look for one now. */
export function UpdateFields({ bridge, draft, set }: UpdateFieldsProps): ReactNode {
  const look = useMutation({ mutationFn: async () => valueOf(await bridge.app.checkForUpdates()) });
  return (
    <section>
      <h2>Updates</h2>
      <TextInput
        label="Address of new versions"
        description="Looked at when the application starts. Empty: nothing is looked for, and nothing is ever connected to."
        placeholder="https://…"
        value={draft.updateFeed ?? ''}
        onChange={({ currentTarget }) =>
          set({ updateFeed: currentTarget.value === '' ? null : currentTarget.value })
        }
      />
      <Select
        label="Channel"
        data={[
          { value: 'latest', label: 'Latest' },
          { value: 'beta', label: 'Beta' },
        ]}
        allowDeselect={false}
        value={draft.updateChannel}
        onChange={(channel) => set({ updateChannel: channel ?? 'latest' })}
      />
      <div className="settings-look">
        <Button loading={look.isPending} onClick={() => look.mutate()}>
          Look for updates
        </Button>
        <span role="status" className="dim">
          {look.data !== undefined && wordsOf(look.data)}
        </span>
      </div>
      {look.isError && <ErrorView error={look.error} title="Nothing could be found out" compact />}
    </section>
  );
}

function wordsOf({ state, version, message = '' }: UpdateView): string {
  switch (state) {
    case 'none':
      return 'This is the newest version.';
    case 'downloaded':
      return `Version ${version ?? ''}: ${message || 'there'}`;
    case 'off':
    case 'failed':
      return message;
  }
}
