import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Run, RunError } from '../../api/generated/index.ts';
import { useAgentFolder } from '../../api/queries/agent-folder.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { useCopied } from '../../ui/copied.ts';
import { EditorLink } from '../../ui/traceback/editor-link.tsx';
import {
  firstLocation,
  readTraceback,
  type SourceLocation,
} from '../../ui/traceback/read-traceback.ts';
import { TracebackView } from '../../ui/traceback/traceback-view.tsx';

/** Why a run failed, open: the message, the node, the traceback with links into the editor. */
export function RunErrorDetails({ run, error }: { run: Run; error: RunError }): ReactNode {
  const lines = readTraceback(error.traceback ?? '');
  const folder = useAgentFolder();
  const location = firstLocation(lines);
  const { isCopied, copy } = useCopied();
  return (
    <section className="run-error" aria-label="Why the run failed">
      <header className="row wrap">
        <strong>{errorTitle(error)}</strong>
        {location !== undefined && (
          <EditorLink location={location} text={shortLocation(location)} folder={folder} />
        )}
        <span className="grow" />
        <span className="dim mono">{error.code}</span>
        <Button size="compact-xs" onClick={() => copy(errorReport(run, error))}>
          {isCopied ? 'Copied' : 'Copy details'}
        </Button>
      </header>
      {error.traceback !== undefined && <TracebackView lines={lines} folder={folder} />}
    </section>
  );
}

/** `KeyError in search: 'amount'` */
export function errorTitle({ type, node, message, code }: RunError): string {
  const where = node === undefined ? '' : ` in ${node}`;
  return `${type ?? code}${where}: ${message}`;
}

/** The line under the header with what failed, where, and a link to it. */
export function RunErrorLine({ run, onShow }: { run: Run; onShow(): void }): ReactNode {
  const { error } = run;
  const folder = useAgentFolder();
  if (error === undefined) return undefined;
  const location = firstLocation(readTraceback(error.traceback ?? ''));
  return (
    <div className="run-line row" role="alert">
      <strong>{error.type ?? error.code}</strong>
      {error.node !== undefined && (
        <span>
          in <code>{error.node}</code>
        </span>
      )}
      <span className="clip grow">{error.message}</span>
      {location !== undefined && (
        <EditorLink location={location} text={shortLocation(location)} folder={folder} />
      )}
      <Button size="compact-xs" variant="default" onClick={onShow}>
        Show traceback
      </Button>
      <CopyButton value={errorReport(run, error)} label="Copy details" />
    </div>
  );
}

function shortLocation({ file, line }: SourceLocation): string {
  return `${file.split(/[\\/]/).at(-1) ?? file}:${line}`;
}

/** What a bug report needs. */
export function errorReport(run: Run, error: RunError): string {
  return [
    `run ${run.run_id}`,
    `agent ${run.agent_id}`,
    `attempt ${run.attempt ?? 1} of ${run.max_attempts + 1}`,
    `ended ${run.updated_at}`,
    `code ${error.code}`,
    errorTitle(error),
    ...(error.traceback === undefined ? [] : ['', error.traceback.trimEnd()]),
  ].join('\n');
}
