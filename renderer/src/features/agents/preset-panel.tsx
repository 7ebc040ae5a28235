import { ActionIcon, Button } from '@mantine/core';
import { IconPlayerPlay, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useRemovePreset } from '../../api/queries/change-presets.ts';
import { type Presets, usePresets } from '../../api/queries/presets.ts';
import { type Preset, settingsOf } from '../../api/presets/preset.ts';
import { useQueryMembers } from '../../state/query-members.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorView } from '../../ui/error-view.tsx';
import { ForeignText, revealed } from '../../ui/foreign-text.tsx';
import { PageSkeleton } from '../../ui/page-skeleton.tsx';
import { PresetName } from '../../ui/preset-name.tsx';
import { offerPresetUndo } from '../../ui/preset-undo.ts';
import { TimeAgo } from '../../ui/time-ago.tsx';

/** The presets of an agent, and where they are kept. */
export function PresetPanel({ agentId }: { agentId: string }): ReactNode {
  const presets = usePresets(agentId);
  const { list, isService, isPending, error } = presets;
  const [, write] = useQueryMembers();
  const remove = useRemovePreset(agentId);
  if (isPending && list.length === 0) return <PageSkeleton label="Reading the presets" />;
  const failure = error !== null && (
    <ErrorView
      error={error}
      title="The presets could not be read"
      onRetry={presets.retry}
      compact={list.length > 0}
    />
  );
  return (
    <div className="pane">
      <WhereKept presets={presets} />
      {failure}
      {list.length === 0 && error === null && (
        <EmptyState
          title="No presets"
          text="A preset is a named choice of context, configurable, tags and recursion limit. It is saved in the composer."
          action={
            <Button onClick={() => write({ compose: '1', for: agentId })}>Open the composer</Button>
          }
        />
      )}
      {list.length > 0 && (
        <div className="scroll" tabIndex={0} role="region" aria-label="Presets">
          <table className="preset-table sticky-head">
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Sets</th>
                <th scope="col">Version</th>
                <th scope="col">Updated</th>
                <th scope="col" aria-label="Actions" />
              </tr>
            </thead>
            <tbody>
              {list.map((preset) => (
                <PresetRow
                  key={preset.id}
                  preset={preset}
                  isMarked={isService && preset.keptIn === 'browser'}
                  onRun={() => write({ compose: '1', for: agentId, preset: preset.id })}
                  onDelete={() => offerPresetUndo(preset.name, remove(preset))}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}

function WhereKept({ presets }: { presets: Presets }): ReactNode {
  const { whereKept, isService, isPending, retry } = presets;
  if (whereKept === undefined) return undefined;
  return (
    <div className="toolbar dim small">
      <span>
        {whereKept}
        {isService ? ' as assistants: clients of LangGraph’s API see them, too.' : '.'}
      </span>
      {!isService && (
        <Button size="compact-xs" disabled={isPending} onClick={retry}>
          Check again
        </Button>
      )}
    </div>
  );
}

interface PresetRowProps {
  readonly preset: Preset;
  readonly isMarked: boolean;
  readonly onRun: () => void;
  readonly onDelete: () => void;
}

function PresetRow({ preset, isMarked, onRun, onDelete }: PresetRowProps): ReactNode {
  const { name, description, content, otherConfig, version, updatedAt } = preset;
  const settings = [...settingsOf(content), ...otherConfig].map((one) => revealed(one, 80));
  const sets = settings.length === 0 ? 'nothing' : settings.join(', ');
  return (
    <tr>
      <th scope="row">
        <PresetName name={name} isInBrowser={isMarked} />
        {description !== undefined && description !== '' && (
          <div className="dim small clip" title={revealed(description, 1_000)}>
            <ForeignText text={description} maxLength={400} />
          </div>
        )}
      </th>
      <td className="dim clip" title={sets}>
        {sets}
      </td>
      <td className="numeric">{version}</td>
      <td>{updatedAt !== undefined && <TimeAgo time={updatedAt} />}</td>
      <td>
        <ActionIcon aria-label={`Run with preset ${revealed(name)}`} onClick={onRun}>
          <IconPlayerPlay size={14} aria-hidden />
        </ActionIcon>
        <ActionIcon aria-label={`Delete preset ${revealed(name)}`} onClick={onDelete}>
          <IconTrash size={14} aria-hidden />
        </ActionIcon>
      </td>
    </tr>
  );
}
