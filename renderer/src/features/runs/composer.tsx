import {
  Button,
  NumberInput,
  SegmentedControl,
  Select,
  Switch,
  TagsInput,
  TextInput,
} from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import {
  getAgentGraphOptions,
  getAgentSchemasOptions,
  listAgentsOptions,
} from '../../api/generated/@tanstack/react-query.gen.ts';
import { ErrorView } from '../../ui/error-view.tsx';
import { JsonEditor } from '../../ui/json/json-editor.tsx';
import { bodyOf, type Draft, type Start } from './composer-draft.ts';
import { InputFields } from './composer-input.tsx';
import { inspectorModes } from './send-run.ts';
import { useSendRun } from './run-actions.ts';
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

/** Makes a run: the agent, what it begins with, and how it is run. */
export function Composer(props: ComposerProps): ReactNode {
  const { threadId, makeThread, draft, onDraft } = props;
  const send = useSendRun();
  const [isTried, setIsTried] = useState(false);
  const result = bodyOf(draft);
  const problems = 'problems' in result && isTried ? result.problems : {};
  const change = (part: Partial<Draft>): void => onDraft({ ...draft, ...part });

  function submit(): void {
    setIsTried(true);
    if ('problems' in result) return;
    send.mutate({ threadId, makeThread, body: result.body, wait: draft.wait });
  }

  return (
    <form
      className="composer"
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
      <div className="composer-fields">
        <AgentSelect value={draft.agentId} onChange={(agentId) => change({ agentId, input: {} })} />
        <SegmentedControl
          aria-label="What the run begins with"
          value={draft.start}
          data={starts}
          onChange={(start) => change({ start })}
        />
        {draft.start === 'input' && (
          <InputFields draft={draft} problem={problems.input} onChange={change} />
        )}
        {draft.start === 'continue' && (
          <p className="dim">
            Goes on from {draft.checkpointId === '' ? 'the thread’s head' : 'the checkpoint below'}{' '}
            without a new input: what had failed, or not been done yet, is done.
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
        <Options
          draft={draft}
          problems={problems}
          onChange={change}
          isOnThread={threadId !== null}
        />
        {send.error !== null && (
          <ErrorView compact error={send.error} title="The run was not created" />
        )}
      </div>
      <footer>
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
  const data = names.includes(props.value) || props.value === '' ? names : [props.value, ...names];
  const chosen = agents.data?.find(({ agent_id }) => agent_id === props.value);
  return (
    <Select
      label="Agent"
      description={chosen?.error === undefined ? chosen?.description : undefined}
      error={chosen?.error === undefined ? undefined : `Not loaded: ${chosen.error.message}`}
      data={data}
      value={props.value === '' ? null : props.value}
      allowDeselect={false}
      searchable={names.length > 8}
      onChange={(agentId) => agentId !== null && props.onChange(agentId)}
    />
  );
}

interface OptionsProps {
  readonly draft: Draft;
  readonly problems: {
    readonly configurable?: string;
    readonly metadata?: string;
    readonly streamModes?: string;
  };
  readonly onChange: (part: Partial<Draft>) => void;
  readonly isOnThread: boolean;
}

function Options({ draft, problems, onChange, isOnThread }: OptionsProps): ReactNode {
  const graph = useQuery({
    ...getAgentGraphOptions({ path: { name: draft.agentId } }),
    enabled: draft.agentId !== '',
  });
  const schemas = useQuery({
    ...getAgentSchemasOptions({ path: { name: draft.agentId } }),
    enabled: draft.agentId !== '',
  });
  const nodes =
    graph.data?.nodes.filter(({ type }) => type === 'node' || type === 'subgraph') ?? [];
  const names = ['*', ...nodes.map(({ id }) => id)];
  const known = Object.keys(propertiesOf(schemas.data?.config_schema));
  return (
    <>
      <details className="composer-part" open={draft.checkpointId !== '' || undefined}>
        <summary>Where it begins and stops</summary>
        {isOnThread && (
          <TextInput
            label="From checkpoint"
            description="Empty: the head of the thread"
            className="mono-input"
            value={draft.checkpointId}
            onChange={(event) => onChange({ checkpointId: event.currentTarget.value })}
          />
        )}
        <TagsInput
          label="Breakpoints before"
          data={names}
          value={[...draft.interruptBefore]}
          onChange={(interruptBefore) => onChange({ interruptBefore })}
        />
        <TagsInput
          label="Breakpoints after"
          data={names}
          value={[...draft.interruptAfter]}
          onChange={(interruptAfter) => onChange({ interruptAfter })}
        />
        {isOnThread && (
          <Select
            label="While another run is active"
            data={multitasks}
            value={draft.multitask}
            allowDeselect={false}
            onChange={(multitask) => multitask !== null && onChange({ multitask })}
          />
        )}
      </details>
      <details className="composer-part">
        <summary>Config and metadata</summary>
        <JsonEditor
          label={known.length > 0 ? `configurable: ${known.join(', ')}` : 'configurable'}
          text={draft.configurableText}
          error={problems.configurable}
          maxHeight={160}
          onChange={(configurableText) => onChange({ configurableText })}
        />
        <TagsInput label="Tags" value={[...draft.tags]} onChange={(tags) => onChange({ tags })} />
        <NumberInput
          label="Recursion limit"
          description="Steps after which LangGraph gives up"
          min={1}
          value={draft.recursionLimit ?? ''}
          onChange={(limit) =>
            onChange({ recursionLimit: typeof limit === 'number' ? limit : undefined })
          }
        />
        <JsonEditor
          label="metadata"
          text={draft.metadataText}
          error={problems.metadata}
          maxHeight={160}
          onChange={(metadataText) => onChange({ metadataText })}
        />
      </details>
      <details className="composer-part">
        <summary>Stream, durability, wait</summary>
        <fieldset className="composer-modes">
          <legend>Stream modes</legend>
          {inspectorModes.map((mode) => (
            <label key={mode}>
              <input
                type="checkbox"
                checked={draft.streamModes.includes(mode)}
                onChange={(event) =>
                  onChange({
                    streamModes: inspectorModes.filter((one) =>
                      one === mode ? event.currentTarget.checked : draft.streamModes.includes(one),
                    ),
                  })
                }
              />
              {mode}
            </label>
          ))}
          {problems.streamModes !== undefined && <p className="is-error">{problems.streamModes}</p>}
        </fieldset>
        <Switch
          label="Events of sub-graphs"
          checked={draft.isSubgraphs}
          onChange={(event) => onChange({ isSubgraphs: event.currentTarget.checked })}
        />
        <Select
          label="Durability"
          data={durabilities}
          value={draft.durability}
          allowDeselect={false}
          onChange={(durability) => durability !== null && onChange({ durability })}
        />
        <TextInput
          label="Wait for its end"
          description="A duration such as 30s: the page opens the run when it has ended, or when that has passed"
          placeholder="do not wait"
          value={draft.wait}
          onChange={(event) => onChange({ wait: event.currentTarget.value })}
        />
      </details>
    </>
  );
}

const multitasks = [
  { value: 'enqueue', label: 'Queue it behind' },
  { value: 'reject', label: 'Refuse it (reject)' },
  { value: 'interrupt', label: 'Stop the other and keep what it did (interrupt)' },
  { value: 'rollback', label: 'Undo the other (rollback)' },
];

const durabilities = [
  { value: 'async', label: 'async: within 200 ms' },
  { value: 'sync', label: 'sync: before the next step' },
  { value: 'exit', label: 'exit: at the end' },
];

function propertiesOf(schema: Record<string, unknown> | undefined): object {
  const properties = schema?.['properties'];
  return typeof properties === 'object' && properties !== null ? properties : {};
}
