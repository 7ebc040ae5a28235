import { Button } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Run, RunError } from '../../api/generated/index.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { useCopied } from '../../ui/copied.ts';
import { editorLink, firstPlace, readTraceback, type SourcePlace } from './traceback.ts';

/** Why a run failed, open: the message, the node, the traceback with links into the editor. */
export function RunErrorDetails({ run, error }: { run: Run; error: RunError }): ReactNode {
  const lines = readTraceback(error.traceback ?? '');
  const place = firstPlace(lines);
  const { isCopied, copy } = useCopied();
  return (
    <section className="run-error" aria-label="Why the run failed">
      <header>
        <strong>{errorTitle(error)}</strong>
        {place !== undefined && <EditorLink place={place} text={shortPlace(place)} />}
        <span className="run-error-code">{error.code}</span>
        <Button size="compact-xs" onClick={() => copy(errorReport(run, error))}>
          {isCopied ? 'Copied' : 'Copy details'}
        </Button>
      </header>
      {error.traceback !== undefined && (
        <pre aria-label="Traceback" tabIndex={0}>
          {lines.map(({ text, place: at }, index) => (
            // Lines of a finished text have no other identity than where they stand.
            <span key={index} className={at?.isForeign === true ? 'is-foreign' : undefined}>
              {at === undefined ? (
                text
              ) : (
                <>
                  {text.slice(0, at.start)}
                  <EditorLink place={at} text={text.slice(at.start, at.end)} />
                  {text.slice(at.end)}
                </>
              )}
              {'\n'}
            </span>
          ))}
        </pre>
      )}
    </section>
  );
}

/** `KeyError in search: 'amount'` */
export function errorTitle({ type, node, message, code }: RunError): string {
  const where = node === undefined ? '' : ` in ${node}`;
  return `${type ?? code}${where}: ${message}`;
}

export function EditorLink({ place, text }: { place: SourcePlace; text: string }): ReactNode {
  return (
    <a href={editorLink(place)} title={`Open ${place.file}:${place.line} in the editor`}>
      {text}
      <IconExternalLink size={11} aria-hidden />
    </a>
  );
}

/** The one line under the header that says what failed, where, and how to get there. */
export function RunErrorLine({ run, onShow }: { run: Run; onShow(): void }): ReactNode {
  const { error } = run;
  if (error === undefined) return undefined;
  const place = firstPlace(readTraceback(error.traceback ?? ''));
  return (
    <div className="run-line run-line-error" role="alert">
      <strong>{error.type ?? error.code}</strong>
      {error.node !== undefined && (
        <span>
          in <code>{error.node}</code>
        </span>
      )}
      <span className="run-line-text">{error.message}</span>
      {place !== undefined && <EditorLink place={place} text={shortPlace(place)} />}
      <Button size="compact-xs" variant="default" onClick={onShow}>
        Show traceback
      </Button>
      <CopyButton value={errorReport(run, error)} label="Copy details" />
    </div>
  );
}

function shortPlace({ file, line }: SourcePlace): string {
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
