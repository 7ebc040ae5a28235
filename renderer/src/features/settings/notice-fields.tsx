import { Checkbox } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { DesktopBridge, DesktopSettings } from '../../../../electron/src/ipc/contract.ts';
import { valueOf } from '../../api/desktop-reply.ts';
import { ErrorView } from '../../ui/error-view.tsx';
import { desktopSettings } from './setting-names.ts';

interface NoticeFieldsProps {
  readonly bridge: DesktopBridge;
  readonly settings: DesktopSettings;
}

/** Notifications of the system; the service has nothing to do with them, so that a change takes effect at once. */
export function NoticeFields({ bridge, settings }: NoticeFieldsProps): ReactNode {
  const cache = useQueryClient();
  const save = useMutation({
    mutationFn: async (runNotices: boolean) => valueOf(await bridge.settings.write({ runNotices })),
    onSuccess: (written) => cache.setQueryData(['desktop', 'settings'], written),
  });
  return (
    <section>
      <h2>Notifications</h2>
      <Checkbox
        data-setting="runNotices"
        label={desktopSettings.runNotices}
        description="While the window is not in front. Runs that others started are not reported."
        checked={save.isPending ? save.variables : settings.runNotices}
        onChange={({ currentTarget }) => save.mutate(currentTarget.checked)}
      />
      {save.isError && <ErrorView error={save.error} title="The setting was not saved" compact />}
    </section>
  );
}
