// VS Code's launch.json belongs to the user: comments, order, indentation and line endings stay as they are.
import {
  applyEdits,
  type FormattingOptions,
  type JSONPath,
  modify,
  parse,
  type ParseError,
} from 'jsonc-parser';
import type { LaunchConfiguration } from '../ipc/contract.ts';
import { DesktopFailure } from './desktop-failure.ts';

const byteOrderMark = '\uFEFF';

/** The text of the file with this entry in it. Of an entry of the same name only what differs is changed. */
export function withLaunchConfiguration(
  text: string | undefined,
  configuration: LaunchConfiguration,
): { text: string; isNew: boolean } {
  const mark = text?.startsWith(byteOrderMark) === true ? byteOrderMark : '';
  const before = text?.slice(mark.length) ?? '';
  if (before.trim() === '') return { text: mark + newFile(configuration), isNew: true };
  const entries = readEntries(before);
  const index = entries.findIndex((entry) => member(entry, 'name') === configuration.name);
  const put = editor(before);
  if (index < 0) {
    const path = ['configurations', entries.length];
    return { text: mark + put(before, path, configuration), isNew: true };
  }
  let after = before;
  for (const [name, value] of Object.entries(configuration)) {
    if (JSON.stringify(member(entries[index], name)) === JSON.stringify(value)) continue;
    after = put(after, ['configurations', index, name], value);
  }
  return { text: mark + after, isNew: false };
}

function newFile(configuration: LaunchConfiguration): string {
  const content = { version: '0.2.0', configurations: [configuration] };
  return `${JSON.stringify(content, undefined, 2)}\n`;
}

/** As VS Code reads it, with comments and trailing commas; throws for what VS Code rejects too. */
function readEntries(text: string): readonly unknown[] {
  const errors: ParseError[] = [];
  const content: unknown = parse(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) {
    const line = text.slice(0, error.offset).split('\n').length;
    throw notPossible(
      `It has a syntax error in line ${line}; fix it there, or copy the configuration.`,
    );
  }
  const entries = member(content, 'configurations');
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw notPossible('It is not an object with "configurations".');
  }
  if (entries !== undefined && !Array.isArray(entries)) {
    throw notPossible('Its "configurations" are not a list.');
  }
  return entries ?? [];
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** Writes one value into a text, in the style of this file. */
function editor(sample: string): (text: string, path: JSONPath, value: unknown) => string {
  const indent = /^([ \t]+)\S/m.exec(sample)?.[1] ?? '  ';
  const formattingOptions: FormattingOptions = {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 4 : indent.length,
    eol: sample.includes('\r\n') ? '\r\n' : '\n',
  };
  return (text, path, value) => applyEdits(text, modify(text, path, value, { formattingOptions }));
}

function notPossible(why: string): DesktopFailure {
  return new DesktopFailure('not_possible', `.vscode/launch.json was left as it is. ${why}`);
}
