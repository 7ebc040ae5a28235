import { Checkbox, Group, NumberInput, Select, Switch, TagsInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import {
  getAgentGraphOptions,
  getAgentSchemasOptions,
} from '../../../api/generated/@tanstack/react-query.gen.ts';
import { JsonEditor } from '../../../ui/json/json-editor.tsx';
import type { Draft, DraftProblems } from './composer-draft.ts';
import { inspectorModes } from '../../../api/send-run.ts';

interface ComposerOptionsProps {
  readonly draft: Draft;
  readonly problems: DraftProblems;
  readonly onChange: (part: Partial<Draft>) => void;
  readonly isOnThread: boolean;
}

/** The options of a run: where it starts and stops, its config, what it streams. Each part is folded at first. */
export function ComposerOptions(props: ComposerOptionsProps): ReactNode {
  const { draft, problems, onChange, isOnThread } = props;
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
  // Only at first: the part must not fold while the user empties the field.
  const [beginsOpen] = useState(draft.checkpointId !== '');
  return (
    <>
      <details className="composer-part" open={beginsOpen}>
        <summary>Where it starts and stops</summary>
        {isOnThread && (
          <TextInput
            label="From checkpoint"
            description="Empty: the head of the thread"
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
        <Checkbox.Group
          label="Stream modes"
          value={[...draft.streamModes]}
          error={problems.streamModes}
          onChange={(chosen) =>
            onChange({ streamModes: inspectorModes.filter((mode) => chosen.includes(mode)) })
          }
        >
          <Group>
            {inspectorModes.map((mode) => (
              <Checkbox key={mode} value={mode} label={mode} />
            ))}
          </Group>
        </Checkbox.Group>
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
  { value: 'interrupt', label: 'Stop the other and keep its changes (interrupt)' },
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
