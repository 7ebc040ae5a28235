import { ActionIcon } from '@mantine/core';
import { forceLinting, lintGutter, linter, type Diagnostic } from '@codemirror/lint';
import { openSearchPanel } from '@codemirror/search';
import { Transaction } from '@codemirror/state';
import { EditorView, type ViewUpdate } from '@codemirror/view';
import { IconIndentIncrease } from '@tabler/icons-react';
import { useCallback, useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { CodeMirror } from './code-mirror.tsx';
import { cursorPath } from './cursor-path.ts';
import { writingSetup } from './editor-setup.ts';
import { JsonBar } from './json-bar.tsx';
import { jsonCall } from './json-client.ts';
import { pathText } from './json-path.ts';
import { jsonProblem, type JsonProblem } from './json-problem.ts';
import { WORKER_SIZE } from './json-size.ts';
import './json.css';

export interface JsonEditorProps {
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly label: string;
  /** An error beyond its syntax, as a message. */
  readonly error?: string | undefined;
  readonly maxHeight?: number | string;
  readonly actions?: ReactNode;
}

/** Edits JSON: errors are marked in the text and shown below with their line. */
export function JsonEditor(props: JsonEditorProps): ReactNode {
  const { text, label, error, maxHeight, actions } = props;
  const [path, setPath] = useState('');
  const problem = useProblem(text);
  const view = useRef<EditorView>(undefined);
  const current = useRef({ problem, onChange: props.onChange });
  const problemId = useId();
  useEffect(() => {
    current.current = { problem, onChange: props.onChange };
    if (view.current !== undefined) forceLinting(view.current);
  });

  const setup = useCallback(
    () => [
      writingSetup(label),
      lintGutter(),
      linter((editor) => diagnosticsOf(current.current.problem, editor), { delay: 0 }),
      EditorView.contentAttributes.of({ 'aria-describedby': problemId }),
      EditorView.updateListener.of((update) => {
        if (update.selectionSet) setPath(pathText(cursorPath(update.state)));
        if (isEdited(update)) current.current.onChange(update.state.doc.toString());
      }),
    ],
    [label, problemId],
  );
  const message = problem ? `Line ${problem.line}: ${problem.message}.` : error;
  return (
    <div className="json-box json-editor" data-invalid={message !== undefined || undefined}>
      <JsonBar
        label={label}
        path={path}
        copy={() => text}
        search={() => view.current && openSearchPanel(view.current)}
      >
        {actions}
        <ActionIcon
          size={22}
          aria-label={`Indent ${label}`}
          title="Indent"
          disabled={problem !== undefined || text.trim() === ''}
          onClick={() => props.onChange(JSON.stringify(JSON.parse(text), null, 2))}
        >
          <IconIndentIncrease size={14} />
        </ActionIcon>
      </JsonBar>
      <CodeMirror
        text={text}
        setup={setup}
        maxHeight={maxHeight}
        onView={(next) => {
          view.current = next;
        }}
      />
      <p
        id={problemId}
        className="json-problem is-error small"
        aria-live="polite"
        hidden={message === undefined}
      >
        {message}
      </p>
    </div>
  );
}

/** The owner of the text already has a change that came from there, and may have changed more with it. */
function isEdited({ transactions }: ViewUpdate): boolean {
  return transactions.some((one) => one.docChanged && one.annotation(Transaction.remote) !== true);
}

/** The first syntax error of the text; a large text is checked in the worker, once typing pauses. */
function useProblem(text: string): JsonProblem | undefined {
  const isSmall = text.length <= WORKER_SIZE;
  const [found, setFound] = useState<JsonProblem>();
  useEffect(() => {
    if (isSmall) return undefined;
    let isCurrent = true;
    const timer = setTimeout(() => {
      jsonCall('check', [text]).then(
        (problem) => isCurrent && setFound(problem),
        () => undefined,
      );
    }, 250);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [text, isSmall]);
  if (text.trim() === '') return undefined;
  return isSmall ? jsonProblem(text) : found;
}

function diagnosticsOf(problem: JsonProblem | undefined, editor: EditorView): Diagnostic[] {
  if (problem === undefined) return [];
  const end = editor.state.doc.length;
  const from = Math.min(problem.offset, Math.max(0, end - 1));
  const to = Math.min(from + 1, end);
  return [{ from, to, severity: 'error', message: problem.message }];
}
