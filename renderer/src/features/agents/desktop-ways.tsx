import { Button, Loader } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { DesktopBridge, ServiceView } from '../../../../electron/src/ipc/contract.ts';
import { valueOf } from '../../api/desktop-reply.ts';
import type { Agent } from '../../api/generated/types.gen.ts';
import type { MissingPackages } from '../../api/missing-packages.ts';
import { ErrorView } from '../../ui/error-view.tsx';

export interface WaysProps {
  readonly missing: readonly MissingPackages[];
  readonly language: Agent['language'];
  /** Its image has the interpreter, and packages are installed in it. */
  readonly isSandboxed: boolean;
}

interface DesktopWaysProps extends WaysProps {
  readonly bridge: DesktopBridge;
  readonly view: ServiceView;
}

/** Installs what is missing, or runs the agents with another program; both restart the service, which is shown. */
export function DesktopWays(props: DesktopWaysProps): ReactNode {
  const { bridge, view, missing, language, isSandboxed } = props;
  const cache = useQueryClient();
  const install = useMutation({ mutationFn: async () => valueOf(await bridge.service.install()) });
  const choose = useMutation({
    mutationFn: async () => {
      const written = valueOf(await bridge.settings.chooseInterpreter());
      if (written === null) return;
      cache.setQueryData(['desktop', 'settings'], written);
      valueOf(await bridge.service.restart());
    },
  });
  const isStarting = view.state === 'starting' || view.state === 'stopping';
  const commands = missing.flatMap(({ command }) => command ?? []);
  return (
    <>
      <div className="row wrap">
        {commands.length > 0 && (
          <Button
            title={commands.join('\n')}
            loading={install.isPending}
            disabled={isStarting}
            onClick={() => install.mutate()}
          >
            {language === 'python' ? 'Make a .venv and install' : 'Install packages'}
          </Button>
        )}
        {!isSandboxed && (
          <Button loading={choose.isPending} disabled={isStarting} onClick={() => choose.mutate()}>
            Choose an interpreter
          </Button>
        )}
      </div>
      {isStarting && <Progress view={view} />}
      {choose.isError && (
        <ErrorView error={choose.error} title="The interpreter was not changed" compact />
      )}
      {install.isError && (
        <ErrorView error={install.error} title="The packages were not installed" compact />
      )}
    </>
  );
}

/** The step of the start that installs them, and what its command prints. */
function Progress({ view: { steps } }: { view: ServiceView }): ReactNode {
  const step = steps.find(({ state }) => state === 'running');
  return (
    <p className="row dim" role="status">
      <Loader size={14} /> <span>The service is starting</span>
      {step !== undefined && <code>{[step.name, step.message].filter(Boolean).join(': ')}</code>}
    </p>
  );
}
