import { EditorState, type Extension, Transaction } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { useEffect, useRef, type ReactNode } from 'react';

interface CodeMirrorProps {
  readonly text: string;
  /** Built once for a mounted editor: change the `key` for a new one. */
  readonly setup: () => Extension;
  readonly onView?: (view: EditorView | undefined) => void;
  readonly maxHeight?: number | string | undefined;
}

/** A CodeMirror editor. A new text from outside replaces its content, and keeps the scroll position. */
export function CodeMirror({ text, setup, onView, maxHeight }: CodeMirrorProps): ReactNode {
  const container = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const first = useRef({ text, setup, onView });

  useEffect(() => {
    if (container.current === null) return undefined;
    const { text: doc, setup: extensions, onView: notify } = first.current;
    const editor = new EditorView({
      parent: container.current,
      state: EditorState.create({ doc, extensions: extensions() }),
    });
    view.current = editor;
    notify?.(editor);
    return () => {
      notify?.(undefined);
      view.current = undefined;
      editor.destroy();
    };
  }, []);

  useEffect(() => {
    const editor = view.current;
    if (editor === undefined || editor.state.doc.toString() === text) return;
    const head = Math.min(editor.state.selection.main.head, text.length);
    editor.dispatch({
      changes: { from: 0, to: editor.state.doc.length, insert: text },
      selection: { anchor: head },
      annotations: Transaction.remote.of(true),
    });
  }, [text]);

  return (
    <div
      ref={container}
      className="json-code"
      style={maxHeight === undefined ? undefined : { maxHeight }}
    />
  );
}
