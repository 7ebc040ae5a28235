import { foldEffect, foldable, syntaxTree, unfoldAll } from '@codemirror/language';
import { openSearchPanel } from '@codemirror/search';
import { EditorView } from '@codemirror/view';
import { useCallback, useRef, useState, type ReactNode } from 'react';
import { CodeMirror } from './code-mirror.tsx';
import { cursorPath } from './cursor-path.ts';
import { readingSetup } from './editor-setup.ts';
import { JsonBar } from './json-bar.tsx';
import { jsonCall } from './json-client.ts';
import { JsonOutline } from './json-outline.tsx';
import { pathText } from './json-path.ts';
import { useJsonContent, type JsonInput } from './use-json-content.ts';
import './json.css';

export interface JsonViewProps extends JsonInput {
  readonly label: string;
  readonly maxHeight?: number | string;
  /** Shown in the bar before the buttons. */
  readonly actions?: ReactNode;
}

/**
 * Shows JSON read-only: folded, searched, copied, with the path of the cursor. Pass `text` where there is one: above
 * 256 kB it is parsed in a worker, above 1 MB its outline is shown and parts load when opened.
 */
export function JsonView(props: JsonViewProps): ReactNode {
  const { label, maxHeight, actions } = props;
  const content = useJsonContent(props);
  if (content.state === 'text') {
    const prefix = props.part === undefined ? '' : pathText(props.part.path);
    return (
      <JsonText
        {...{ label, maxHeight, actions, prefix }}
        text={content.text}
        size={content.size}
      />
    );
  }
  if (content.state === 'outline') {
    const { document, root } = content;
    return (
      <div className="json-box" style={{ maxHeight }}>
        <JsonBar
          label={label}
          path={pathText(root.path)}
          size={root.size}
          copy={async () => jsonCall('text', [document.id, root.path])}
        >
          {actions}
        </JsonBar>
        <JsonOutline
          key={document.id}
          {...{ document, root, label }}
          showPart={(part) => (
            <JsonView key={JSON.stringify(part.path)} label="Part" {...{ document, part }} />
          )}
        />
      </div>
    );
  }
  return (
    <div className="json-box" aria-busy={content.state === 'loading'}>
      <p className="hint" role={content.state === 'failed' ? 'alert' : undefined}>
        {content.state === 'failed' ? `${label} cannot be shown: ${content.message}` : ''}
      </p>
    </div>
  );
}

interface JsonTextProps {
  readonly label: string;
  readonly text: string;
  readonly size: number;
  readonly prefix: string;
  readonly maxHeight?: number | string | undefined;
  readonly actions?: ReactNode;
}

function JsonText(props: JsonTextProps): ReactNode {
  const { label, text, size, prefix, maxHeight, actions } = props;
  const [path, setPath] = useState('');
  const view = useRef<EditorView>(undefined);
  const setup = useCallback(
    () => [
      readingSetup(label),
      EditorView.updateListener.of((update) => {
        if (update.selectionSet) setPath(pathText(cursorPath(update.state)));
      }),
    ],
    [label],
  );
  return (
    <div className="json-box">
      <JsonBar
        label={label}
        path={joined(prefix, path)}
        size={size}
        copy={() => text}
        search={() => view.current && openSearchPanel(view.current)}
        foldAll={() => view.current && foldBelowRoot(view.current)}
        unfoldAll={() => view.current && unfoldAll(view.current)}
      >
        {actions}
      </JsonBar>
      <CodeMirror
        text={text}
        setup={setup}
        maxHeight={maxHeight}
        onView={(next) => {
          view.current = next;
        }}
      />
    </div>
  );
}

function joined(prefix: string, path: string): string {
  return prefix === '' || path === '' || path.startsWith('[') ? prefix + path : `${prefix}.${path}`;
}

/** Folds every value in the outermost one, so that only its keys are visible. */
function foldBelowRoot(view: EditorView): void {
  const root = syntaxTree(view.state).topNode.firstChild;
  const effects = [];
  for (let node = root?.firstChild ?? null; node !== null; node = node.nextSibling) {
    const line = view.state.doc.lineAt(node.from);
    const range = foldable(view.state, line.from, line.to);
    if (range !== null && range.from < node.to) effects.push(foldEffect.of(range));
  }
  view.dispatch({ effects });
}
