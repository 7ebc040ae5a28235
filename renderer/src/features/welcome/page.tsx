import { Button } from '@mantine/core';
import { IconFolderOpen } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useNavigate } from 'react-router';
import type { DesktopBridge } from '../../../../electron/src/ipc/contract.ts';
import { valueOf } from '../../api/desktop-reply.ts';
import { useDesktopService } from '../../api/desktop-service.ts';
import { desktop } from '../../desktop.ts';
import { DesktopOnly } from '../../ui/desktop-only.tsx';
import { ErrorView } from '../../ui/error-view.tsx';
import { ConnectForm } from './connect-form.tsx';
import { RecentFolders } from './recent-folders.tsx';
import { StartSteps } from './start-steps.tsx';
import './welcome.css';

/** Where a session begins: a folder of agents, one of those before, or a service elsewhere. */
export function Component(): ReactNode {
  if (desktop === undefined) {
    return (
      <DesktopOnly
        title="Opening folders"
        instead="Start another service with `service serve <folder>` to see other agents."
      />
    );
  }
  return <Welcome desktop={desktop} />;
}

function Welcome({ desktop: bridge }: { desktop: DesktopBridge }): ReactNode {
  const view = useDesktopService();
  const navigate = useNavigate();
  const open = useMutation({
    mutationFn: async (folder: string | undefined) => {
      const chosen = folder ?? valueOf(await bridge.folders.choose());
      if (chosen === null) return;
      const { state } = valueOf(await bridge.service.start(chosen));
      if (state === 'ready') await navigate('/threads');
    },
  });
  const isStarting = view?.state === 'starting' || open.isPending;
  return (
    <div className="welcome">
      <section>
        <h1>Agents</h1>
        <p className="dim">
          Open a folder with an <code>agent.json</code> or <code>langgraph.json</code>. Its graphs
          run on this machine, and everything they do is kept beside it in your profile.
        </p>
        <Button
          variant="filled"
          leftSection={<IconFolderOpen size={16} />}
          loading={isStarting}
          onClick={() => open.mutate(undefined)}
        >
          Open folder
        </Button>
        {open.isError && (
          <ErrorView error={open.error} title="The folder could not be opened" compact />
        )}
        {view !== undefined && view.steps.length > 0 && <StartSteps view={view} />}
      </section>
      <RecentFolders bridge={bridge} isBusy={isStarting} onOpen={(path) => open.mutate(path)} />
      <ConnectForm bridge={bridge} view={view} />
    </div>
  );
}
