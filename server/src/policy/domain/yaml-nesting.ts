import { Lexer } from 'yaml';

import { POLICY_YAML_DEPTH } from '../../model/limits/policy-limits.ts';

/** The library's marker that the next token is a scalar's text. */
const SCALAR_FOLLOWS = '\u001F';

/**
 * Finds problems in a YAML text before it is parsed: very deeply nested brackets and dashes take the parser a long
 * time, and can crash the process. Undefined when it can be parsed. Offset: characters into the text.
 */
export function nestingProblem(text: string): { offset: number; message: string } | undefined {
  let brackets = 0;
  let indicators = 0;
  let offset = 0;
  let isScalar = false;
  for (const token of new Lexer().lex(text)) {
    if (isScalar) isScalar = false;
    else if (token === SCALAR_FOLLOWS) isScalar = true;
    else if (token === '[' || token === '{') brackets += 1;
    else if (token === ']' || token === '}') brackets -= 1;
    else if (brackets === 0 && (token === '-' || token === '?' || token === ':')) indicators += 1;
    else if (token.startsWith('\n') || token.startsWith('\r')) indicators = 0;
    else if (token.startsWith('!') || token.startsWith('%')) {
      return { offset, message: `${token.slice(0, 40)} means nothing here: remove it.` };
    }
    if (Math.max(brackets, indicators) > POLICY_YAML_DEPTH) return { offset, message: tooDeep };
    if (!isControl(token)) offset += token.length;
  }
  return undefined;
}

/** The finding about a file that is nested deeper than the limit. */
export const tooDeep = `Values within values go ${POLICY_YAML_DEPTH} levels deep at most: make it flatter.`;

/** Tokens that the library adds, which are not in the text. */
function isControl(token: string): boolean {
  return token === '\u0002' || token === '\u0018' || token === SCALAR_FOLLOWS;
}
