import { Button, SegmentedControl, Select } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { listAgentsOptions } from '../../../api/generated/@tanstack/react-query.gen.ts';
import { AgentNotLoaded } from '../../../ui/agent-not-loaded.tsx';
import { ErrorView } from '../../../ui/error-view.tsx';
import { JsonEditor } from '../../../ui/json/json-editor.tsx';
import { bodyOf, type Draft, type DraftProblems, noContext, type Start } from './composer-draft.ts';
import { ContextFields, InputFields } from './composer-input.tsx';
import { ComposerOptions } from './composer-options.tsx';
import { ComposerPreset } from './composer-preset.tsx';
import { useSendRun } from '../run-actions.ts';
import { ComposerSnippet } from './composer-snippet.tsx';

interface ComposerProps {
  /** Null: a run without a thread, or on the one that `makeThread` makes. */
  readonly threadId: string | null;
  readonly makeThread?: (() => Promise<string>) | undefined;
  readonly draft: Draft;
  readonly onDraft: (draft: Draft) => void;
}

const starts: { value: Start; label: string }[] = [
  { value: 'input', label: 'Input' },
  { value: 'continue', label: 'Continue' },
  { value: 'command', label: 'Command' },
];

/** The labels of the parts on the page. */
const partNames: Readonly<Record<keyof DraftProblems, string>> = {
  input: 'Input',
  context: 'Context',
  command: 'Command',
  configurable: 'configurable',
  metadata: 'metadata',
  streamModes: 'Stream modes',
};

/** Creates a run: the agent, what it starts with, and its options. */
export function Composer(props: ComposerProps): ReactNode {
  const { threadId, makeThread, draft, onDraft } = props;
  const send = useSendRun();
  const [isTried, setIsTried] = useState(false);
  // Not `send.isPending`, which is known only after the next render: a key may be pressed before that.
  const isSending = useRef(false);
  const result = bodyOf(draft);
  const problems: DraftProblems = 'problems' in result && isTried ? result.problems : {};
  const change = (part: Partial<Draft>): void => onDraft({ ...draft, ...part });

  function submit(): void {
    setIsTried(true);
    if ('problems' in result || isSending.current) return;
    isSending.current = true;
    // The page of the run replaces this one; only a failure is followed by another attempt.
    const onError = (): void => void (isSending.current = false);
    send.mutate({ threadId, makeThread, body: result.body, wait: draft.wait }, { onError });
  }

  return (
    <form
      className="pane"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      onKeyDown={(press) => {
        if (press.key === 'Enter' && (press.ctrlKey || press.metaKey)) {
          press.preventDefault();
          submit();
        }
      }}
    >
      <div className="composer-fields stack scroll">
        <AgentSelect
          value={draft.agentId}
          onChange={(agentId) =>
            change({ agentId, input: { ...draft.input, value: {} }, context: noContext })
          }
        />
        <SegmentedControl
          aria-label="What the run starts with"
          value={draft.start}
          data={starts}
          onChange={(start) => change({ start })}
        />
        {draft.start === 'input' && (
          <InputFields draft={draft} problem={problems.input} onChange={change} />
        )}
        {draft.start === 'continue' && (
          <p className="dim">
            Continues from{' '}
            {draft.checkpointId === '' ? 'the thread’s head' : 'the checkpoint below'} without a new
            input: failed and pending steps are run.
          </p>
        )}
        {draft.start === 'command' && (
          <JsonEditor
            label="Command: resume, update, goto"
            text={draft.commandText}
            error={problems.command}
            onChange={(commandText) => change({ commandText })}
          />
        )}
        <ContextFields draft={draft} problem={problems.context} onChange={change} />
        <ComposerPreset draft={draft} onChange={change} />
        <ComposerOptions
          draft={draft}
          problems={problems}
          onChange={change}
          isOnThread={threadId !== null}
        />
      </div>
      {/* Next to the button that was pressed: the fields may be out of view, and folded. */}
      <div className="composer-trouble" role="alert">
        {Object.entries(problems).map(([part, problem]) => (
          <p key={part} className="is-error small">
            {partNames[part as keyof DraftProblems]}: {problem}
          </p>
        ))}
      </div>
      {send.error !== null && (
        <div className="composer-trouble">
          <ErrorView compact error={send.error} title="The run was not created" />
        </div>
      )}
      <footer className="pane-foot">
        <ComposerSnippet threadId={threadId} draft={draft} />
        <Button
          type="submit"
          variant="filled"
          leftSection={<IconPlayerPlay size={14} aria-hidden />}
          loading={send.isPending}
          title="Ctrl+Enter"
        >
          Run
        </Button>
      </footer>
    </form>
  );
}

function AgentSelect(props: { value: string; onChange(agentId: string): void }): ReactNode {
  const agents = useQuery(listAgentsOptions());
  const names = agents.data?.map(({ agent_id }) => agent_id) ?? [];
  const broken = new Set(
    agents.data?.filter(({ error }) => error !== undefined).map(({ agent_id }) => agent_id),
  );
  const all = names.includes(props.value) || props.value === '' ? names : [props.value, ...names];
  const data = all.map((name) => ({
    value: name,
    label: broken.has(name) ? `${name} (not loaded)` : name,
  }));
  const chosen = agents.data?.find(({ agent_id }) => agent_id === props.value);
  return (
    <Select
      label="Agent"
      // Otherwise the focus would be at the drawer's button "Close", also when the agents come later than the drawer.
      data-autofocus
      autoFocus
      description={
        chosen?.error === undefined ? (
          chosen?.description
        ) : (
          <AgentNotLoaded agentId={props.value} message={chosen.error.message} />
        )
      }
      data={data}
      value={props.value === '' ? null : props.value}
      allowDeselect={false}
      searchable={names.length > 8}
      onChange={(agentId) => agentId !== null && props.onChange(agentId)}
    />
  );
}
