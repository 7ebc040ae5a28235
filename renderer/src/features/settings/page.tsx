import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { valueOf } from '../../api/desktop-reply.ts';
import { desktop } from '../../desktop.ts';
import { ErrorView } from '../../ui/error-view.tsx';
import { PageSkeleton } from '../../ui/page-skeleton.tsx';
import { AppearanceFields } from './appearance-fields.tsx';
import { NoticeFields } from './notice-fields.tsx';
import { ServiceFields } from './service-fields.tsx';
import { useSettingInView } from './use-setting-in-view.ts';
import './settings.css';

/** The look of the studio and, in the desktop, the settings of the service of this machine. */
export function Component(): ReactNode {
  useSettingInView({ isReady: true });
  return (
    <div className="settings scroll">
      <h1>Settings</h1>
      <AppearanceFields />
      {desktop === undefined ? (
        <p className="dim">
          The service that serves this page has its own settings: flags, variables or a file.{' '}
          <code>service config print</code> shows them and where each comes from.
        </p>
      ) : (
        <DesktopSettingsSection bridge={desktop} />
      )}
    </div>
  );
}

function DesktopSettingsSection({ bridge }: { bridge: NonNullable<typeof desktop> }): ReactNode {
  const settings = useQuery({
    queryKey: ['desktop', 'settings'],
    queryFn: async () => valueOf(await bridge.settings.read()),
    staleTime: 0,
  });
  useSettingInView({ isReady: settings.data !== undefined });
  if (settings.isError) {
    return <ErrorView error={settings.error} title="The settings could not be read" />;
  }
  if (settings.data === undefined) return <PageSkeleton label="Reading the settings" />;
  return (
    <>
      <NoticeFields bridge={bridge} settings={settings.data} />
      <ServiceFields bridge={bridge} settings={settings.data} />
    </>
  );
}
