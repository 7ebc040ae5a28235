import { syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';

import type { JsonPath } from './json-path.ts';

type SyntaxNode = ReturnType<ReturnType<typeof syntaxTree>['resolveInner']>;

const values = ['Object', 'Array', 'String', 'Number', 'True', 'False', 'Null'];

/** The JSON path of the cursor, as far as the text has been parsed. */
export function cursorPath(state: EditorState): JsonPath {
  const path: (string | number)[] = [];
  let node: SyntaxNode | null = syntaxTree(state).resolveInner(state.selection.main.head, -1);
  for (; node !== null; node = node.parent) {
    if (node.name === 'Property') {
      const key = keyOf(state, node);
      if (key !== undefined) path.unshift(key);
    } else if (node.parent?.name === 'Array' && values.includes(node.name))
      path.unshift(positionOf(node));
  }
  return path;
}

function keyOf(state: EditorState, property: SyntaxNode): string | undefined {
  const name = property.getChild('PropertyName');
  if (name === null) return undefined;
  try {
    return String(JSON.parse(state.sliceDoc(name.from, name.to)));
  } catch {
    return undefined;
  }
}

function positionOf(element: SyntaxNode): number {
  let position = 0;
  for (let node = element.prevSibling; node !== null; node = node.prevSibling)
    if (values.includes(node.name)) position += 1;
  return position;
}
