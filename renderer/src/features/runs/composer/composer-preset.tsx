import { ActionIcon, Button, Popover, Select } from '@mantine/core';
import { IconBookmarkPlus, IconTrash } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useCurrentService } from '../../../api/desktop-service.ts';
import { type Preset, type PresetValues, usePresets, usePresetsOf } from '../../../api/presets.ts';
import { offerUndo } from '../../../ui/undo.tsx';
import { ViewName } from '../../../ui/view-name.tsx';
import { type Draft, noContext } from './composer-draft.ts';

interface ComposerPresetProps {
  readonly draft: Draft;
  readonly onChange: (part: Partial<Draft>) => void;
}

/** A named choice of config and context: one is taken over into the draft, and that of the draft can be saved. */
export function ComposerPreset({ draft, onChange }: ComposerPresetProps): ReactNode {
  const service = useCurrentService();
  const presets = usePresetsOf(draft.agentId);
  const { save } = usePresets();
  const [isNaming, setNaming] = useState(false);
  const values = valuesOf(draft);
  const chosen = presets.find((preset) => isEqual(valuesOf(preset), values));
  const isEmpty = isEqual(values, noValues);
  const canSave = chosen === undefined && !isEmpty;
  if (presets.length === 0 && !canSave) return undefined;
  return (
    <div className="composer-preset">
      <Select
        label="Preset"
        description="A saved choice of context, configurable, tags and recursion limit"
        placeholder="Changed"
        data={[
          { value: '', label: 'No preset' },
          ...presets.map(({ name }) => ({ value: name, label: name })),
        ]}
        value={chosen?.name ?? (isEmpty ? '' : null)}
        allowDeselect={false}
        onChange={(name) => {
          const preset = presets.find((one) => one.name === name);
          onChange(preset === undefined ? noValues : valuesOf(preset));
        }}
      />
      {chosen !== undefined && (
        <ActionIcon aria-label={`Delete preset ${chosen.name}`} onClick={() => forget(chosen)}>
          <IconTrash size={14} aria-hidden />
        </ActionIcon>
      )}
      {canSave && (
        <Popover opened={isNaming} onChange={setNaming} position="bottom-end" trapFocus>
          <Popover.Target>
            <Button
              leftSection={<IconBookmarkPlus size={14} aria-hidden />}
              onClick={() => setNaming(!isNaming)}
            >
              Save preset
            </Button>
          </Popover.Target>
          <Popover.Dropdown>
            <ViewName
              label="Name of this preset"
              action="Save"
              isTaken={(name) => presets.some((preset) => preset.name === name)}
              onName={(name) => {
                save({ ...values, service, agentId: draft.agentId, name });
                setNaming(false);
              }}
            />
          </Popover.Dropdown>
        </Popover>
      )}
    </div>
  );
}

/** The draft with the values of a preset. */
export function withPreset(draft: Draft, preset: Preset | undefined): Draft {
  return preset === undefined ? draft : { ...draft, ...valuesOf(preset) };
}

function forget(preset: Preset): void {
  const { save, remove } = usePresets.getState();
  remove(preset);
  offerUndo({
    label: `Preset ${preset.name} deleted`,
    commit: async () => undefined,
    undo: () => save(preset),
    failed: 'The preset could not be deleted',
  });
}

const noValues = {
  context: noContext,
  configurableText: '',
  tags: [],
  recursionLimit: undefined,
};

function valuesOf({ context, configurableText, tags, recursionLimit }: PresetValues | Draft) {
  // The same type on both sides, as `context` was written by the composer.
  return { context: context as Draft['context'], configurableText, tags, recursionLimit };
}

function isEqual(one: object, other: object): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
