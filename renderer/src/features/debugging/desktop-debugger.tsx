import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { DebuggingView, DesktopBridge } from '../../../../electron/src/ipc/contract.ts';
import { isDebuggerOn } from '../../api/desktop-debugging.ts';
import { valueOf } from '../../api/desktop-reply.ts';
import { useDesktopService } from '../../api/desktop-service.ts';
import type { Agent } from '../../api/generated/types.gen.ts';
import { ErrorView } from '../../ui/error-view.tsx';
import { AttachPanel } from './attach-panel.tsx';
import { useDebugChoice } from './debug-choice.ts';
import { DebugForm } from './debug-form.tsx';
import { DebugNotes } from './debug-notes.tsx';
import { DebugState } from './debug-state.tsx';
import { launchConfiguration } from './launch-configuration.ts';
import { providers } from './providers.ts';
import { PycharmSteps } from './pycharm-steps.tsx';

interface DesktopDebuggerProps {
  readonly agents: readonly Agent[];
  readonly view: DebuggingView;
  readonly bridge: DesktopBridge;
}

/** Switches the debugger of the service on and off, shows its state, and how to attach. */
export function DesktopDebugger({ agents, view, bridge }: DesktopDebuggerProps): ReactNode {
  const [choice, change] = useDebugChoice(agents);
  const folder = useDesktopService()?.folder ?? '';
  const start = useMutation({
    mutationFn: async () => {
      const { provider, port, options } = choice;
      const fallback = providers[provider].dialsOut ? providers[provider].usualPort : 0;
      valueOf(await bridge.debugging.start({ provider, port: port ?? fallback, options }));
    },
  });
  const stop = useMutation({ mutationFn: async () => valueOf(await bridge.debugging.stop()) });
  const isOn = isDebuggerOn(view);
  const provider = (isOn ? view.provider : undefined) ?? choice.provider;
  const { language, dialsOut, usualPort } = providers[provider];
  const port = (isOn ? view.port : undefined) ?? choice.port ?? usualPort;
  const configuration = launchConfiguration(provider, { port, folder });
  const button = isOn ? (
    <Button loading={stop.isPending} onClick={() => stop.mutate()}>
      Stop
    </Button>
  ) : (
    <Button
      variant="filled"
      loading={start.isPending}
      disabled={agents.length === 0}
      onClick={() => start.mutate()}
    >
      {view.state === 'failed' ? 'Try again' : 'Start'}
    </Button>
  );
  return (
    <>
      <DebugState view={view} action={button} />
      {[start, stop].map(
        ({ error }, index) =>
          error !== null && (
            <ErrorView key={index} error={error} title="The debugger does not respond" compact />
          ),
      )}
      {isOn ? null : agents.length === 0 ? (
        <p className="dim">
          The folder has no agents yet. <Link to="/agents">Agents</Link> shows what it needs.
        </p>
      ) : (
        <DebugForm
          agents={agents}
          choice={choice}
          isLocked={start.isPending}
          needsPort={false}
          onChange={change}
        />
      )}
      {dialsOut && <PycharmSteps port={port} folder={folder} />}
      {configuration !== undefined && isOn && view.port !== undefined && (
        <AttachPanel configuration={configuration} bridge={bridge} />
      )}
      <DebugNotes language={language} />
    </>
  );
}
