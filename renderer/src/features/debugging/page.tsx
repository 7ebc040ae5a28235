import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { listAgentsOptions } from '../../api/generated/@tanstack/react-query.gen.ts';
import { useDebugging } from '../../api/desktop-debugging.ts';
import { useDesktopService } from '../../api/desktop-service.ts';
import { desktop } from '../../desktop.ts';
import { ErrorView } from '../../ui/error-view.tsx';
import { PageSkeleton } from '../../ui/page-skeleton.tsx';
import { CommandLine } from './command-line.tsx';
import { DebugState } from './debug-state.tsx';
import './debugging.css';
import { DesktopDebugger } from './desktop-debugger.tsx';

/** Agents under a debugger: of this desktop's own service by a click, of any other with its flags. */
export function Component(): ReactNode {
  return (
    <div className="debugging scroll">
      <header>
        <h1>Debugger</h1>
        <p className="dim">
          Step through an agent during its ordinary runs: same threads, same checkpoints.
        </p>
      </header>
      <Debugger />
    </div>
  );
}

function Debugger(): ReactNode {
  const view = useDebugging();
  const service = useDesktopService();
  const isAbsent = view?.state === 'unavailable' && service?.state !== 'remote';
  const agents = useQuery({ ...listAgentsOptions(), refetchInterval: 5_000, enabled: !isAbsent });
  if (desktop === undefined) {
    if (agents.isPending) return <PageSkeleton label="Reading the agents" />;
    return <CommandLine agents={agents.data ?? []} />;
  }
  if (view === undefined) return <PageSkeleton label="Reading the state of the debugger" />;
  if (view.state === 'unavailable') {
    return (
      <>
        <DebugState view={view} action={undefined} />
        {!isAbsent && <CommandLine agents={agents.data ?? []} />}
      </>
    );
  }
  if (agents.data === undefined) {
    return agents.isError ? (
      <ErrorView
        error={agents.error}
        title="The agents could not be read"
        onRetry={() => void agents.refetch()}
      />
    ) : (
      <PageSkeleton label="Reading the agents" />
    );
  }
  return <DesktopDebugger agents={agents.data} view={view} bridge={desktop} />;
}
