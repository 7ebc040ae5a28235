import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import {
  bracketMatching,
  codeFolding,
  foldGutter,
  foldKeymap,
  indentOnInput,
  indentUnit,
} from '@codemirror/language';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { editorTheme } from './editor-theme.ts';

const placeholder = (
  view: EditorView,
  onclick: (event: Event) => void,
  text: string,
): HTMLElement => {
  const button = view.dom.ownerDocument.createElement('button');
  button.type = 'button';
  button.className = 'cm-foldPlaceholder';
  button.textContent = text;
  button.setAttribute('aria-label', `${text} folded, unfold`);
  button.onclick = onclick;
  return button;
};

/** Folding that shows how much is folded. */
const folding: Extension = [
  codeFolding({
    preparePlaceholder: (state, { from, to }) => {
      const lines = state.doc.lineAt(to).number - state.doc.lineAt(from).number;
      return lines > 1 ? `${lines - 1} lines` : '…';
    },
    placeholderDOM: (view, onclick, text) => placeholder(view, onclick, String(text)),
  }),
  foldGutter({
    markerDOM: (isOpen) => {
      const marker = document.createElement('span');
      marker.className = isOpen ? 'json-fold json-fold-open' : 'json-fold';
      return marker;
    },
  }),
];

const shared: Extension = [
  json(),
  bracketMatching(),
  drawSelection(),
  search({
    top: true,
    // With its surroundings in view.
    scrollToMatch: (match) => EditorView.scrollIntoView(match, { y: 'center' }),
  }),
  highlightSelectionMatches({ minSelectionLength: 3 }),
  indentUnit.of('  '),
  EditorView.lineWrapping,
  editorTheme,
];

/** A read-only text: folded, searched, selected and copied. */
export function readingSetup(label: string): Extension {
  return [
    shared,
    lineNumbers(),
    folding,
    highlightActiveLine(),
    highlightActiveLineGutter(),
    keymap.of([...searchKeymap, ...foldKeymap, ...defaultKeymap]),
    EditorState.readOnly.of(true),
    EditorView.contentAttributes.of({
      'aria-label': label,
      'aria-readonly': 'true',
      tabindex: '0',
    }),
  ];
}

/** An editable text. Tab moves the focus, as in every other field. */
export function writingSetup(label: string): Extension {
  return [
    shared,
    lineNumbers(),
    folding,
    history(),
    indentOnInput(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    keymap.of([...searchKeymap, ...foldKeymap, ...historyKeymap, ...defaultKeymap]),
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
  ];
}

/** What both sides of a text comparison share. */
export function comparingSetup(label: string): Extension {
  return [
    shared,
    lineNumbers(),
    keymap.of([...searchKeymap, ...defaultKeymap]),
    EditorState.readOnly.of(true),
    EditorView.contentAttributes.of({
      'aria-label': label,
      'aria-readonly': 'true',
      tabindex: '0',
    }),
  ];
}
