import { Button } from '@mantine/core';
import { IconPlayerPlay, IconPlus } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { TraceSpan } from '../../../api/generated/types.gen.ts';
import { ErrorView } from '../../../ui/error-view.tsx';
import { formatDuration, formatElapsed } from '../../../ui/format.ts';
import { JsonEditor } from '../../../ui/json/json-editor.tsx';
import { useTicking } from '../use-ticking.ts';
import {
  type CallDraft,
  type CallProblems,
  draftOf,
  emptyMessage,
  missingIn,
  requestOf,
} from './call-draft.ts';
import { callKey, cancelCall, changeCall, type EditedCall, makeCall } from './call-drafts.ts';
import { CallMessage } from './call-message.tsx';
import { CallResponses } from './call-responses.tsx';

interface CallEditorProps {
  readonly span: TraceSpan;
  readonly runId: string;
  readonly call: EditedCall;
}

/** Changes a recorded model call and makes it again: its agent does not run, and its thread stays as it is. */
export function CallEditor({ span, runId, call }: CallEditorProps): ReactNode {
  const key = callKey(runId, span.id);
  const { draft, calledAt, error, result, isCancelled } = call;
  const [isTried, setIsTried] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const isCalling = calledAt !== undefined;
  const request = requestOf(span.id, draft);
  const problems: CallProblems | undefined =
    'problems' in request && isTried ? request.problems : undefined;
  const missing = missingIn(span);
  const change = (part: Partial<CallDraft>): void =>
    changeCall(key, { draft: { ...draft, ...part } });

  useEffect(() => form.current?.querySelector<HTMLElement>('textarea')?.focus(), []);

  function submit(): void {
    setIsTried(true);
    if ('body' in request) void makeCall(key, runId, request.body);
  }

  return (
    <form
      ref={form}
      className="call-editor stack"
      aria-label="Edit and call again"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      onKeyDown={(press) => {
        if (press.key !== 'Enter' || !(press.ctrlKey || press.metaKey)) return;
        press.preventDefault();
        // A key that is held repeats itself: what it starts, costs.
        if (!press.repeat) submit();
      }}
    >
      <p className="dim">
        Calls the agent’s own model. The agent does not run, and its thread stays as it is.
        {missing !== undefined && <strong> {missing}</strong>}
      </p>
      <ol className="stack" aria-label="Messages">
        {draft.messages.map((message, index) => (
          <CallMessage
            key={message.id}
            message={message}
            position={index + 1}
            problem={problems?.messages.get(message.id)}
            onChange={(next) =>
              change({ messages: draft.messages.map((one) => (one.id === next.id ? next : one)) })
            }
            onRemove={() =>
              change({ messages: draft.messages.filter(({ id }) => id !== message.id) })
            }
          />
        ))}
      </ol>
      <Button
        size="compact-xs"
        variant="subtle"
        leftSection={<IconPlus size={12} aria-hidden />}
        onClick={() => change({ messages: [...draft.messages, emptyMessage()] })}
      >
        Message
      </Button>
      <JsonEditor
        label="Parameters as JSON"
        text={draft.paramsText}
        error={problems?.params}
        maxHeight={260}
        onChange={(paramsText) => change({ paramsText })}
      />
      {problems?.all !== undefined && (
        <p className="is-error small" role="alert">
          {problems.all}
        </p>
      )}
      <footer className="row wrap">
        <Button
          type="submit"
          variant="filled"
          size="compact-sm"
          leftSection={<IconPlayerPlay size={14} aria-hidden />}
          loading={isCalling}
          title="Ctrl+Enter"
        >
          Call
        </Button>
        {isCalling ? (
          <Button size="compact-sm" onClick={() => cancelCall(key)}>
            Cancel
          </Button>
        ) : (
          <>
            <Button
              size="compact-sm"
              onClick={() => {
                setIsTried(false);
                changeCall(key, { draft: draftOf(span), error: undefined });
              }}
            >
              Reset
            </Button>
            <Button size="compact-sm" onClick={() => changeCall(key, { isOpen: false })}>
              Close
            </Button>
          </>
        )}
        <span className="dim numeric" role="status">
          {isCalling ? (
            <Waiting since={calledAt} />
          ) : isCancelled === true ? (
            'Cancelled'
          ) : error === undefined && result !== undefined ? (
            `Responded in ${formatDuration(result.latency_ms)}`
          ) : (
            ''
          )}
        </span>
      </footer>
      {error !== undefined && <ErrorView compact error={error} title="The call failed" />}
      {result !== undefined && <CallResponses span={span} result={result} />}
    </form>
  );
}

function Waiting({ since }: { since: number }): ReactNode {
  const now = useTicking(1_000);
  return (
    <>
      Waiting for the model <span aria-hidden>{formatElapsed(now - since)}</span>
    </>
  );
}
