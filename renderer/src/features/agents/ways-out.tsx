import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useDesktopService } from '../../api/desktop-service.ts';
import type { Agent } from '../../api/generated/types.gen.ts';
import { isRecord } from '../../api/json-record.ts';
import { useMissingPackages } from '../../api/missing-packages.ts';
import { infoQuery } from '../../api/queries/health.ts';
import { desktop } from '../../desktop.ts';
import { ShellCommand } from '../../ui/shell-command.tsx';
import { DesktopWays, type WaysProps } from './desktop-ways.tsx';

type Failed = Pick<Agent, 'language'> & { readonly error: NonNullable<Agent['error']> };

/** What helps an agent that could not be loaded: buttons in the desktop, in a browser what to type. */
export function WaysOut({ language, error }: Failed): ReactNode {
  const missing = useMissingPackages(language);
  const info = useQuery(infoQuery).data;
  const view = useDesktopService();
  const flags = isRecord(info?.['flags']) ? info['flags'] : {};
  if (missing.length === 0 && !isOfEnvironment(error)) {
    return (
      <p className="dim">
        {flags['reload'] === true
          ? 'Fix the file and save it: the agent is then read again.'
          : 'Fix the file, and start the service again. With --reload agents are read again when they are saved.'}
      </p>
    );
  }
  const isSandboxed = typeof flags['sandbox'] === 'string' && flags['sandbox'] !== 'none';
  const because = missing.map((packages) => `${packages.because} ${packages.needs ?? ''}`);
  return (
    <div className="stack">
      {because.length > 0 && <p>{because.join(' ')}</p>}
      {desktop !== undefined && view?.folder !== undefined ? (
        <DesktopWays bridge={desktop} {...{ view, missing, language, isSandboxed }} />
      ) : (
        <Commands {...{ missing, language, isSandboxed }} />
      )}
    </div>
  );
}

/** Its code is not to blame: it has no interpreter, or a package is missing there. */
function isOfEnvironment({ code, message }: Failed['error']): boolean {
  return (
    code === 'guest_unavailable' || /No module named|Cannot find (package|module)/.test(message)
  );
}

function Commands({ missing, language, isSandboxed }: WaysProps): ReactNode {
  const commands = missing.flatMap(({ command, directory }) =>
    command === undefined ? [] : [`cd ${quoted(directory)} && ${command}`],
  );
  const program = language === 'python' ? '/path/to/python' : '/path/to/node';
  if (commands.length === 0 && isSandboxed) return null;
  return (
    <>
      {commands.length > 0 && (
        <p className="dim">Type this where the service runs, and start it again:</p>
      )}
      {commands.map((command) => (
        <ShellCommand key={command} command={command} />
      ))}
      {!isSandboxed && (
        <>
          <p className="dim">
            {commands.length > 0
              ? 'Or start it with another interpreter:'
              : 'Start the service with another interpreter:'}
          </p>
          <ShellCommand command={`service serve --interpreter ${program}`} />
        </>
      )}
    </>
  );
}

function quoted(path: string): string {
  return /^[\w./\\:-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
