import { IconChevronRight, IconTool } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { formatSize } from '../format.ts';
import type { ReadMessage, ToolCall } from './read-message.ts';

interface ToolCallViewProps {
  readonly call: ToolCall;
  readonly answer: ReadMessage | undefined;
  readonly isLive: boolean;
}

/** A call of a tool on one line; open, its arguments and what came back. */
export function ToolCallView({ call, answer, isLive }: ToolCallViewProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const result = answerWord(answer, isLive);
  return (
    <div className="tool-call" data-failed={answer?.isError === true || undefined}>
      <button
        type="button"
        className="tool-call-line plain-button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <IconChevronRight className="tool-call-arrow" size={14} aria-hidden />
        <IconTool size={14} aria-hidden />
        <strong>{call.name}</strong>
        <code className="tool-call-args">{shortArgs(call.args)}</code>
        <span className="tool-call-result">{result}</span>
      </button>
      {isOpen && (
        <div className="tool-call-open">
          <h4>Arguments</h4>
          <pre>{pretty(call.args)}</pre>
          {answer !== undefined && (
            <>
              <h4>{answer.isError ? 'Error' : 'Result'}</h4>
              <pre>{prettyText(answer.text)}</pre>
            </>
          )}
        </div>
      )}
    </div>
  );
}

function answerWord(answer: ReadMessage | undefined, isLive: boolean): string {
  if (answer === undefined) return isLive ? 'calling…' : 'no answer';
  if (answer.isError) return 'failed';
  return formatSize(answer.text.length);
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

/** What tools answer is often JSON in a string. */
function prettyText(text: string): string {
  if (!/^\s*[[{]/.test(text) || text.length > 200_000) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
