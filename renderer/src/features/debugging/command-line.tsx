import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { infoQuery } from '../../api/queries/health.ts';
import { folderOf } from '../../api/service-info.ts';
import type { Agent } from '../../api/generated/types.gen.ts';
import { ShellCommand } from '../../ui/shell-command.tsx';
import { AttachPanel } from './attach-panel.tsx';
import { useDebugChoice } from './debug-choice.ts';
import { DebugForm } from './debug-form.tsx';
import { DebugNotes } from './debug-notes.tsx';
import { launchConfiguration, serveCommand } from './launch-configuration.ts';
import { providers } from './providers.ts';
import { PycharmSteps } from './pycharm-steps.tsx';

/** How to debug the agents of a service that the desktop did not start: with its flags. */
export function CommandLine({ agents }: { agents: readonly Agent[] }): ReactNode {
  const [choice, change] = useDebugChoice(agents);
  const { provider, options, language } = choice;
  const port = choice.port ?? providers[provider].usualPort;
  const folder = folderOf(useQuery(infoQuery).data)?.path ?? '/path/to/the/agents';
  const configuration = launchConfiguration(provider, { port, folder });
  const command = serveCommand(provider, { port, folder, options });
  return (
    <>
      <DebugForm agents={agents} choice={choice} isLocked={false} needsPort onChange={change} />
      <section>
        <h2>Start the service under the debugger</h2>
        <p className="dim">On the machine of the service, instead of how it is started now.</p>
        <ShellCommand command={command} />
        <p className="dim">
          The port is on that machine&apos;s loopback. From another one:{' '}
          <code>{`ssh -L ${port}:127.0.0.1:${port} <host>`}</code>
        </p>
      </section>
      {configuration === undefined ? (
        <PycharmSteps port={port} folder={folder} />
      ) : (
        <AttachPanel configuration={configuration} bridge={undefined} />
      )}
      <DebugNotes language={language} />
    </>
  );
}
