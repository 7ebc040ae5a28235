/** What is wrong with a text that should be JSON, and where. Lines and columns count from 1. */
export interface JsonProblem {
  readonly message: string;
  readonly offset: number;
  readonly line: number;
  readonly column: number;
}

const literals = ['true', 'false', 'null'];
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const word = /[\w.+-]+/y;

/** The first syntax error in the text; undefined when it is JSON. (Only some engines report its position.) */
export function jsonProblem(text: string): JsonProblem | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    const { message, offset } = new Scanner(text).problem();
    const lines = text.slice(0, offset).split('\n');
    return { message, offset, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
  }
}

interface Mistake {
  readonly message: string;
  readonly offset: number;
}

/** Walks the text until it is no longer JSON. */
class Scanner {
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  problem(): Mistake {
    const mistake = this.value('a value');
    if (mistake !== undefined) return mistake;
    this.space();
    return this.here(this.at < this.text.length ? 'Nothing may follow the value' : 'Not JSON');
  }

  private here(message: string): Mistake {
    const isEnd = this.at >= this.text.length;
    return { message: isEnd ? `${message}, but the text ends here` : message, offset: this.at };
  }

  private space(): void {
    while (' \t\r\n'.includes(this.text[this.at] ?? 'x')) this.at += 1;
  }

  private value(expected: string): Mistake | undefined {
    this.space();
    const first = this.text[this.at];
    if (first === '{') return this.members();
    if (first === '[') return this.elements();
    if (first === '"') return this.string();
    if (first === "'") return this.here('Strings need double quotes');
    number.lastIndex = word.lastIndex = this.at;
    const written = word.exec(this.text)?.[0] ?? '';
    const isNumber = written !== '' && number.exec(this.text)?.[0] === written;
    if (isNumber || literals.includes(written)) {
      this.at += written.length;
      return undefined;
    }
    return this.here(written === '' ? `Expected ${expected}` : `"${written}" is not a JSON value`);
  }

  private members(): Mistake | undefined {
    this.at += 1;
    for (let isFirst = true; ; isFirst = false) {
      this.space();
      if (isFirst && this.take('}')) return undefined;
      if (this.text[this.at] === '}') return this.here('No comma is allowed before }');
      if (this.text[this.at] !== '"') return this.here('Expected a key in double quotes');
      const mistake = this.string();
      if (mistake !== undefined) return mistake;
      this.space();
      if (!this.take(':')) return this.here('Expected : after the key');
      const inner = this.value('a value');
      if (inner !== undefined) return inner;
      this.space();
      if (this.take('}')) return undefined;
      if (!this.take(',')) return this.here('Expected , or } after the value');
    }
  }

  private elements(): Mistake | undefined {
    this.at += 1;
    for (let isFirst = true; ; isFirst = false) {
      this.space();
      if (isFirst && this.take(']')) return undefined;
      if (this.text[this.at] === ']') return this.here('No comma is allowed before ]');
      const inner = this.value('a value or ]');
      if (inner !== undefined) return inner;
      this.space();
      if (this.take(']')) return undefined;
      if (!this.take(',')) return this.here('Expected , or ] after the value');
    }
  }

  private string(): Mistake | undefined {
    const start = this.at;
    for (this.at += 1; this.at < this.text.length; this.at += 1) {
      const character = this.text[this.at] ?? '';
      if (character === '"') {
        this.at += 1;
        return undefined;
      }
      if (character === '\n') return { message: 'The string is not closed', offset: start };
      if (character < ' ') return this.here('Control characters are written as escapes');
      if (character !== '\\') continue;
      const escape = this.text.slice(this.at + 1, this.at + 6);
      if (/^["\\/bfnrt]/.test(escape)) this.at += 1;
      else if (/^u[0-9a-fA-F]{4}/.test(escape)) this.at += 5;
      else return this.here('No such escape');
    }
    return { message: 'The string is not closed', offset: start };
  }

  private take(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }
}
