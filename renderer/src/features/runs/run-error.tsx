import { Button } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Run, RunError } from '../../api/generated/index.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { useCopied } from '../../ui/copied.ts';
import {
  editorLink,
  firstPlace,
  readTraceback,
  type SourcePlace,
  type TracebackLine,
  tracebackParts,
} from './traceback.ts';

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
        <div className="run-error-traceback" role="group" aria-label="Traceback">
          {tracebackParts(lines).map((part, index) =>
            // Parts of a finished text have no other identity than where they stand.
            part.isForeign ? (
              <details key={index}>
                <summary>
                  {part.frames} {part.frames === 1 ? 'frame' : 'frames'} of libraries
                </summary>
                <TracebackText lines={part.lines} />
              </details>
            ) : (
              <TracebackText key={index} lines={part.lines} />
            ),
          )}
        </div>
      )}
    </section>
  );
}

function TracebackText({ lines }: { lines: readonly TracebackLine[] }): ReactNode {
  return (
    <pre>
      {lines.map(({ text, place }, index) => (
        <span key={index}>
          {place === undefined ? (
            text
          ) : (
            <>
              {text.slice(0, place.start)}
              <EditorLink place={place} text={text.slice(place.start, place.end)} />
              {text.slice(place.end)}
            </>
          )}
          {'\n'}
        </span>
      ))}
    </pre>
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
