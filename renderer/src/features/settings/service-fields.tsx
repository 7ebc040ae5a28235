import { Button, Checkbox, NumberInput, Select, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { DesktopBridge, DesktopSettings } from '../../../../electron/src/ipc/contract.ts';
import { valueOf } from '../../api/desktop-reply.ts';
import { useDesktopService } from '../../api/desktop-service.ts';
import { ErrorView } from '../../ui/error-view.tsx';
import { changedSettings } from './changed-settings.ts';
import { desktopSettings } from './setting-names.ts';
import { UpdateFields } from './update-fields.tsx';

interface ServiceFieldsProps {
  readonly bridge: DesktopBridge;
  readonly settings: DesktopSettings;
}

const sandboxes: { value: DesktopSettings['sandbox']; label: string }[] = [
  { value: 'none', label: 'None: agents are processes of your user' },
  { value: 'docker', label: 'Docker: agents run in containers' },
  { value: 'gvisor', label: 'gVisor: agents have their own kernel' },
];

/** The settings of the service of this machine; changes take effect at its next start. */
export function ServiceFields({ bridge, settings }: ServiceFieldsProps): ReactNode {
  const cache = useQueryClient();
  const view = useDesktopService();
  const [draft, setDraft] = useState(settings);
  const set = (part: Partial<DesktopSettings>): void => setDraft({ ...draft, ...part });
  // That one has a field of its own, and may have changed since.
  const { runNotices } = settings;
  const patch = changedSettings(settings, { ...draft, runNotices });
  const isChanged = Object.keys(patch).length > 0;
  const save = useMutation({
    mutationFn: async (restart: boolean) => {
      const written = valueOf(await bridge.settings.write(patch));
      cache.setQueryData(['desktop', 'settings'], written);
      setDraft(written);
      if (restart) valueOf(await bridge.service.restart());
    },
  });
  const isRunning = view?.state === 'ready';
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(isRunning);
      }}
    >
      <section>
        <h2>Service on this machine</h2>
        <Checkbox
          data-setting="reopenLastFolder"
          label={desktopSettings.reopenLastFolder}
          checked={draft.reopenLastFolder}
          onChange={({ currentTarget }) => set({ reopenLastFolder: currentTarget.checked })}
        />
        <NumberInput
          data-setting="port"
          label={desktopSettings.port}
          description="0 uses a free one at every start. Only this machine reaches it."
          min={0}
          max={65_535}
          allowDecimal={false}
          value={draft.port}
          onChange={(port) => set({ port: Number(port) })}
        />
        <NumberInput
          data-setting="checkpointHistory"
          label={desktopSettings.checkpointHistory}
          description="More lets you inspect and fork from more steps; it needs more space. Existing threads keep the number they were created with."
          min={1}
          max={10_000}
          allowDecimal={false}
          value={draft.checkpointHistory}
          onChange={(checkpointHistory) => set({ checkpointHistory: Number(checkpointHistory) })}
        />
        <Checkbox
          data-setting="externalStorage"
          label={desktopSettings.externalStorage}
          description="Off: a state may have about 1 MiB."
          checked={draft.externalStorage}
          onChange={({ currentTarget }) => set({ externalStorage: currentTarget.checked })}
        />
        <Checkbox
          data-setting="store"
          label={desktopSettings.store}
          description="SQLite in the profile; agents use it as LangGraph's store."
          checked={draft.store}
          onChange={({ currentTarget }) => set({ store: currentTarget.checked })}
        />
      </section>
      <section>
        <h2>Agents</h2>
        <Select
          data-setting="sandbox"
          label={desktopSettings.sandbox}
          description="Docker and gVisor isolate agents from your files and network. The debugger supports plain processes only."
          data={sandboxes}
          allowDeselect={false}
          value={draft.sandbox}
          onChange={(sandbox) => set({ sandbox: sandbox ?? 'none' })}
        />
        <TextInput
          data-setting="interpreter"
          label={desktopSettings.interpreter}
          description="Python or Node for the agents. Empty: the folder's .venv, or what is on the PATH. A sandbox uses that of its image."
          placeholder="detected"
          disabled={draft.sandbox !== 'none'}
          value={draft.interpreter ?? ''}
          onChange={({ currentTarget }) =>
            set({ interpreter: currentTarget.value === '' ? null : currentTarget.value })
          }
        />
        <Textarea
          data-setting="environmentFiles"
          label={desktopSettings.environmentFiles}
          description="One path a line; later ones override earlier ones. Empty: .env of the agent folder."
          autosize
          minRows={2}
          value={draft.environmentFiles.join('\n')}
          onChange={({ currentTarget }) =>
            set({ environmentFiles: currentTarget.value.split('\n') })
          }
        />
      </section>
      <UpdateFields bridge={bridge} draft={draft} set={set} />
      {save.isError && <ErrorView error={save.error} title="The settings were not saved" compact />}
      <footer>
        <Button type="submit" variant="filled" disabled={!isChanged} loading={save.isPending}>
          {isRunning ? 'Save and restart the service' : 'Save'}
        </Button>
        {isRunning && (
          <Button disabled={!isChanged || save.isPending} onClick={() => save.mutate(false)}>
            Save for the next start
          </Button>
        )}
        <Button disabled={!isChanged} onClick={() => setDraft(settings)}>
          Revert
        </Button>
      </footer>
    </form>
  );
}
