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
import { desktopSettings } from './setting-names.ts';
import { ErrorView } from '../../ui/error-view.tsx';

interface UpdateFieldsProps {
  readonly bridge: DesktopBridge;
  readonly draft: DesktopSettings;
  readonly set: (part: SettingsPatch) => void;
}

/** The URL of the update feed, and a button that checks it now. */
export function UpdateFields({ bridge, draft, set }: UpdateFieldsProps): ReactNode {
  const check = useMutation({
    mutationFn: async () => valueOf(await bridge.app.checkForUpdates()),
  });
  return (
    <section>
      <h2>Updates</h2>
      <TextInput
        data-setting="updateFeed"
        label={desktopSettings.updateFeed}
        description="Checked when the application starts. Empty: no checks and no connection."
        placeholder="https://…"
        value={draft.updateFeed ?? ''}
        onChange={({ currentTarget }) =>
          set({ updateFeed: currentTarget.value === '' ? null : currentTarget.value })
        }
      />
      <Select
        data-setting="updateChannel"
        label={desktopSettings.updateChannel}
        data={[
          { value: 'latest', label: 'Latest' },
          { value: 'beta', label: 'Beta' },
        ]}
        allowDeselect={false}
        value={draft.updateChannel}
        onChange={(channel) => set({ updateChannel: channel ?? 'latest' })}
      />
      <div className="row">
        <Button loading={check.isPending} onClick={() => check.mutate()}>
          Check for updates
        </Button>
        <span role="status" className="dim">
          {check.data !== undefined && wordsOf(check.data)}
        </span>
      </div>
      {check.isError && <ErrorView error={check.error} title="The check failed" compact />}
    </section>
  );
}

function wordsOf({ state, version, message = '' }: UpdateView): string {
  switch (state) {
    case 'none':
      return 'This is the newest version.';
    case 'downloaded':
      return `Version ${version ?? ''}: ${message || 'available'}`;
    case 'off':
    case 'failed':
      return message;
  }
}
