import { Button } from '@mantine/core';
import { IconFolderOpen, IconPlayerStop } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { DesktopBridge } from '../../../../electron/src/ipc/contract.ts';
import { valueOf } from '../../api/desktop-reply.ts';
import { useDesktopService } from '../../api/desktop-service.ts';
import { desktop } from '../../desktop.ts';
import { DesktopOnly } from '../../ui/desktop-only.tsx';
import { ErrorView } from '../../ui/error-view.tsx';
import { ConnectForm } from './connect-form.tsx';
import { RecentFolders } from './recent-folders.tsx';
import { StartFailure } from './start-failure.tsx';
import { StartSteps } from './start-steps.tsx';
import { Warnings } from './warnings.tsx';
import './welcome.css';

/** The start of a session: a folder of agents, a recent one, or a remote service. */
export function Component(): ReactNode {
  if (desktop === undefined) {
    return (
      <DesktopOnly
        title="Opening folders"
        instead={
          <>
            Start another service with <code>service serve &lt;folder&gt;</code> to see other
            agents.
          </>
        }
      />
    );
  }
  return <Welcome desktop={desktop} />;
}

function Welcome({ desktop: bridge }: { desktop: DesktopBridge }): ReactNode {
  const view = useDesktopService();
  // The result is in the next view of the service; the frame opens the threads once it is ready.
  const open = useMutation({
    mutationFn: async (find: () => Promise<string | null>) => {
      const chosen = await find();
      if (chosen !== null) valueOf(await bridge.service.start(chosen));
    },
  });
  const isStarting = view?.state === 'starting';
  const isBuilding =
    isStarting && view.steps.some(({ name, state }) => name === 'build' && state === 'running');
  const stop = useMutation({
    mutationFn: async () => {
      const { cancelBuild, stop: stopService } = bridge.service;
      return valueOf(await (isBuilding ? cancelBuild() : stopService()));
    },
  });
  const isLocal = view !== undefined && view.state !== 'remote' && view.steps.length > 0;
  return (
    <div className="welcome">
      <section>
        <h1>Open your agents</h1>
        <p className="dim">
          A folder whose <code>agent.json</code> or <code>langgraph.json</code> names its graphs,
          such as <code>{'{"graphs": {"chat": "./chat.py:graph"}}'}</code>. They run on this
          machine, and their data is stored in your profile. No account, no other connection.
        </p>
        {view?.state !== 'remote' && <Warnings of={view} />}
        <div className="row wrap">
          <Button
            variant="filled"
            leftSection={<IconFolderOpen size={16} />}
            disabled={isStarting}
            loading={open.isPending && !isStarting}
            onClick={() => open.mutate(async () => valueOf(await bridge.folders.choose()))}
          >
            Open folder
          </Button>
          <Button
            disabled={isStarting || open.isPending}
            onClick={() => open.mutate(async () => valueOf(await bridge.folders.examples()))}
            title="Five small agents, copied into your profile, where you may edit them"
          >
            Open the examples
          </Button>
          {isStarting && (
            <Button
              leftSection={<IconPlayerStop size={14} />}
              loading={stop.isPending}
              onClick={() => stop.mutate()}
            >
              {isBuilding ? 'Cancel build' : 'Stop'}
            </Button>
          )}
        </div>
        {open.isError && (
          <ErrorView error={open.error} title="The folder could not be opened" compact />
        )}
        {isLocal && <StartSteps view={view} />}
        {view?.failure !== undefined && <StartFailure bridge={bridge} failure={view.failure} />}
      </section>
      <RecentFolders
        bridge={bridge}
        isBusy={isStarting}
        onOpen={(path) => open.mutate(async () => path)}
      />
      <ConnectForm bridge={bridge} view={view} />
    </div>
  );
}
