import { RE2JS } from 're2js';

import { POLICY_SELECTOR_CHARACTERS } from '../../model/limits/policy-limits.ts';

/** An RE2 expression over the whole name of an operation or a resource. */
export interface Selector {
  text: string;
  matches(name: string): boolean;
}

/** A selector, or the sentence that explains why it is invalid. */
export type SelectorReading = { selector: Selector } | { problem: string };

/**
 * Compiles a selector. `^` is prepended unless the text starts with it, and `$` appended unless the text ends with it.
 * Nothing else is added: `a|b` becomes `^a|b$`, so alternatives need brackets.
 */
export function readSelector(text: string): SelectorReading {
  if (text === '') return { problem: 'is empty: write an RE2 expression' };
  if (text.length > POLICY_SELECTOR_CHARACTERS) {
    return { problem: `is longer than ${POLICY_SELECTOR_CHARACTERS} characters: split it` };
  }
  try {
    // Compiled without anchors first, because an anchor in front turns an invalid text (`*`) into an expression that
    // matches nothing.
    RE2JS.compile(text);
    const expression = RE2JS.compile(anchored(text));
    return { selector: { text, matches: (name) => expression.test(name) } };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { problem: `is no RE2 expression (${reason}): correct it` };
  }
}

function anchored(text: string): string {
  return `${text.startsWith('^') ? '' : '^'}${text}${text.endsWith('$') ? '' : '$'}`;
}
