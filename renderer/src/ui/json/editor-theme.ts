import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

// Colours are CSS variables (json.css), so that one theme serves light and dark.
const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--json-key)' },
  { tag: tags.string, color: 'var(--json-string)' },
  { tag: tags.number, color: 'var(--json-number)' },
  { tag: [tags.bool, tags.null], color: 'var(--json-literal)' },
  { tag: [tags.brace, tags.squareBracket, tags.separator], color: 'var(--text-dim)' },
]);

const surface = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'transparent', fontSize: '12px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '18px' },
  '.cm-content': { padding: '4px 0', caretColor: 'var(--text)' },
  '.cm-line': { padding: '0 8px 0 2px' },
  '.cm-gutters': { backgroundColor: 'transparent', border: 'none', color: 'var(--text-dim)' },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 2px 0 8px', minWidth: '24px' },
  '.cm-foldGutter .cm-gutterElement': { padding: '0 2px', cursor: 'pointer', minWidth: '14px' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--json-line)' },
  '&:not(.cm-focused) .cm-activeLine, &:not(.cm-focused) .cm-activeLineGutter': {
    backgroundColor: 'transparent',
  },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground':
    { background: 'var(--json-selection)' },
  '.cm-foldPlaceholder': {
    background: 'var(--json-line)',
    border: '1px solid var(--line)',
    borderRadius: '4px',
    color: 'var(--text-dim)',
    margin: '0 4px',
    padding: '0 4px',
  },
  '.cm-panels': {
    backgroundColor: 'var(--surface-1)',
    color: 'var(--text)',
    fontSize: '12px',
  },
  '.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-panels-bottom': { borderTop: '1px solid var(--line)' },
  '.cm-panel.cm-search': { padding: '4px 28px 4px 8px', fontFamily: 'inherit' },
  '.cm-panel.cm-search label': { fontSize: '12px', whiteSpace: 'nowrap' },
  '.cm-panel.cm-search br': { display: 'none' },
  '.cm-panel.cm-search [name=close]': { color: 'inherit', fontSize: '16px', right: '8px' },
  '.cm-textfield': {
    border: '1px solid var(--line)',
    borderRadius: '4px',
    backgroundColor: 'var(--surface-0)',
    color: 'inherit',
    fontSize: '12px',
    padding: '2px 6px',
  },
  '.cm-button': {
    border: '1px solid var(--line)',
    borderRadius: '4px',
    background: 'var(--surface-0)',
    color: 'inherit',
    fontSize: '12px',
    padding: '2px 6px',
  },
  '.cm-searchMatch': { backgroundColor: 'var(--json-match)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--json-match-here)' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--error)',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--surface-1)',
    border: '1px solid var(--line)',
    borderRadius: '4px',
    color: 'var(--text)',
  },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--error)' },
  '.cm-matchingBracket': { backgroundColor: 'var(--json-line) !important' },
});

/** The theme of every CodeMirror of the studio. */
export const editorTheme: Extension = [surface, syntaxHighlighting(colours)];
