import { EditorState, type Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { useEffect, useRef, type ReactNode } from 'react';

interface CodeMirrorProps {
  readonly text: string;
  /** Built once for a mounted editor: give a `key` to have another. */
  readonly setup: () => Extension;
  readonly onView?: (view: EditorView | undefined) => void;
  readonly maxHeight?: number | string | undefined;
}

/** One CodeMirror in the page. A text from outside replaces what stands in it, and keeps the place. */
export function CodeMirror({ text, setup, onView, maxHeight }: CodeMirrorProps): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const first = useRef({ text, setup, onView });

  useEffect(() => {
    if (place.current === null) return undefined;
    const { text: doc, setup: extensions, onView: tell } = first.current;
    const editor = new EditorView({
      parent: place.current,
      state: EditorState.create({ doc, extensions: extensions() }),
    });
    view.current = editor;
    tell?.(editor);
    return () => {
      tell?.(undefined);
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
    });
  }, [text]);

  return (
    <div
      ref={place}
      className="json-code"
      style={maxHeight === undefined ? undefined : { maxHeight }}
    />
  );
}
