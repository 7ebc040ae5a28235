import { IconChevronRight, IconTool } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { formatSize } from '../format.ts';
import type { ReadMessage, ToolCall } from './read-message.ts';

interface ToolCallViewProps {
  readonly call: ToolCall;
  readonly result: ReadMessage | undefined;
  readonly isLive: boolean;
}

/** A tool call on one line; open, its arguments and its result. */
export function ToolCallView({ call, result, isLive }: ToolCallViewProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const summary = summaryOf(result, isLive);
  return (
    <div className="tool-call card" data-failed={result?.isError === true || undefined}>
      <button
        type="button"
        className="tool-call-line row"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <IconChevronRight className="tool-call-arrow" size={14} aria-hidden />
        <IconTool size={14} aria-hidden />
        <strong>{call.name}</strong>
        <code className="clip grow dim">{shortArgs(call.args)}</code>
        <span className="tool-call-result dim small">{summary}</span>
      </button>
      {isOpen && (
        <div className="tool-call-open">
          <h4>Arguments</h4>
          <pre>{pretty(call.args)}</pre>
          {result !== undefined && (
            <>
              <h4>{result.isError ? 'Error' : 'Result'}</h4>
              <pre>{prettyText(result.text)}</pre>
            </>
          )}
        </div>
      )}
    </div>
  );
}

function summaryOf(result: ReadMessage | undefined, isLive: boolean): string {
  if (result === undefined) return isLive ? 'calling…' : 'no result';
  if (result.isError) return 'failed';
  return formatSize(result.text.length);
}

/** `query="durable agents", limit=3` */
function shortArgs(args: unknown): string {
  if (typeof args === 'string') return args;
  if (typeof args !== 'object' || args === null) return JSON.stringify(args) ?? '';
  return Object.entries(args)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(', ');
}

function pretty(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
}

/** Results of tools are often JSON in a string. */
function prettyText(text: string): string {
  if (!/^\s*[[{]/.test(text) || text.length > 200_000) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
