import { ActionIcon, Button, Popover, Select } from '@mantine/core';
import { IconBookmarkPlus, IconCloudUpload, IconTrash } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useRemovePreset, useSavePreset } from '../../../api/queries/change-presets.ts';
import { type Presets, usePresets } from '../../../api/queries/presets.ts';
import { isSameContent, noContent, type Preset } from '../../../api/presets/preset.ts';
import { ErrorView } from '../../../ui/error-view.tsx';
import { revealed } from '../../../ui/foreign-text.tsx';
import { PresetName } from '../../../ui/preset-name.tsx';
import { offerPresetUndo } from '../../../ui/preset-undo.ts';
import { tip } from '../../../ui/tip.tsx';
import type { Draft } from './composer-draft.ts';
import { filledFrom, presetContentOf } from './preset-draft.ts';
import { PresetForm } from './preset-form.tsx';

interface ComposerPresetProps {
  readonly draft: Draft;
  readonly onChange: (part: Partial<Draft>) => void;
}

/** More of them are found by typing a part of their names. */
const withoutSearch = 8;

/** A named choice of config and context: one is taken over into the draft, and that of the draft can be saved. */
export function ComposerPreset({ draft, onChange }: ComposerPresetProps): ReactNode {
  const presets = usePresets(draft.agentId);
  const remove = useRemovePreset(draft.agentId);
  const save = useSavePreset(draft.agentId);
  const [isNaming, setNaming] = useState(false);
  // Of the newest draft: it may change while a preset is saved.
  const changeNow = useRef(onChange);
  useEffect(() => {
    changeNow.current = onChange;
  }, [onChange]);
  const read = presetContentOf(draft);
  const isEmpty = 'content' in read && isSameContent(read.content, noContent);
  const origin = presets.list.find(({ id }) => id === draft.presetId);
  const chosen = 'content' in read ? presetWith(presets, read.content, origin) : undefined;
  const canSave = chosen === undefined && !isEmpty;
  if (presets.error !== null && presets.list.length === 0 && !canSave)
    return <ListError presets={presets} />;
  if (presets.list.length === 0 && !canSave) return undefined;

  const saveAs = (name: string, content: Preset['content'], instead?: Preset): void =>
    save.mutate(
      { name, content, instead: instead?.id },
      {
        onSuccess: ({ id }) => {
          changeNow.current({ presetId: id });
          setNaming(false);
        },
      },
    );
  return (
    <div className="composer-preset row wrap">
      <Select
        label="Preset"
        description={descriptionOf(presets)}
        placeholder="Changed"
        data={[
          { value: '', label: 'No preset' },
          ...presets.list.map(({ id, name }) => ({ value: id, label: revealed(name) })),
        ]}
        renderOption={({ option }) => {
          const preset = presets.list.find(({ id }) => id === option.value);
          return preset === undefined ? (
            option.label
          ) : (
            <PresetName {...markedIn(presets, preset)} />
          );
        }}
        value={chosen?.id ?? (isEmpty ? '' : null)}
        allowDeselect={false}
        searchable={presets.list.length > withoutSearch}
        limit={100}
        // Mantine's own scrolling would be as wide as the longest name.
        withScrollArea={false}
        styles={{ dropdown: { maxHeight: 280, overflowY: 'auto' } }}
        onChange={(id) => onChange(filledFrom(presets.list.find((one) => one.id === id)))}
      />
      {chosen?.keptIn === 'browser' && presets.isService && (
        <ActionIcon
          aria-label={`Save preset ${revealed(chosen.name)} in the service`}
          {...tip('It is in this browser: save it in the service')}
          loading={save.isPending}
          onClick={() => saveAs(chosen.name, chosen.content)}
        >
          <IconCloudUpload size={14} aria-hidden />
        </ActionIcon>
      )}
      {chosen !== undefined && (
        <ActionIcon
          aria-label={`Delete preset ${revealed(chosen.name)}`}
          onClick={() => {
            // What it filled in stays, also where that is not written yet.
            onChange({ presetId: chosen.id });
            offerPresetUndo(chosen.name, remove(chosen));
          }}
        >
          <IconTrash size={14} aria-hidden />
        </ActionIcon>
      )}
      {canSave && (
        <Popover opened={isNaming} onChange={setNaming} position="bottom-end" width={340} trapFocus>
          <Popover.Target>
            <Button
              leftSection={<IconBookmarkPlus size={14} aria-hidden />}
              onClick={() => {
                save.reset();
                setNaming(!isNaming);
              }}
            >
              Save preset
            </Button>
          </Popover.Target>
          <Popover.Dropdown>
            {isNaming && (
              <PresetForm
                presets={presets}
                read={read}
                firstName={origin?.name ?? ''}
                save={save}
                onSave={(name, content) => saveAs(name, content, origin)}
              />
            )}
          </Popover.Dropdown>
        </Popover>
      )}
      {presets.error !== null && <ListError presets={presets} />}
      {save.error !== null && !isNaming && (
        <ErrorView compact error={save.error} title="The preset was not saved" />
      )}
      {chosen !== undefined && <ChosenNotes preset={chosen} saved={save.data} />}
    </div>
  );
}

/** The preset that has this content: the one that was chosen, of several. */
function presetWith(
  { list }: Presets,
  content: Preset['content'],
  origin: Preset | undefined,
): Preset | undefined {
  if (origin !== undefined && isSameContent(origin.content, content)) return origin;
  if (isSameContent(content, noContent)) return undefined;
  return list.find((preset) => isSameContent(preset.content, content));
}

function descriptionOf({ whereKept }: Presets): string {
  const what = 'A saved context and config.';
  return whereKept === undefined ? what : `${what} ${whereKept}.`;
}

/** Those in this browser are marked where others are not. */
function markedIn({ isService }: Presets, preset: Preset) {
  return { name: preset.name, isInBrowser: isService && preset.keptIn === 'browser' };
}

function ChosenNotes(props: {
  preset: Preset;
  saved: ReturnType<typeof useSavePreset>['data'];
}): ReactNode {
  const { preset, saved } = props;
  const others = preset.otherConfig.map((name) => revealed(name, 40));
  return (
    <>
      {saved?.why !== undefined && saved.id === preset.id && (
        <p className="dim small" role="status">
          Saved in this browser: {saved.why}.
        </p>
      )}
      {others.length > 0 && (
        <p className="dim small clip">Runs of the studio are without its {others.join(', ')}.</p>
      )}
    </>
  );
}

function ListError({ presets: { error, retry } }: { presets: Presets }): ReactNode {
  return <ErrorView compact error={error} title="The presets could not be read" onRetry={retry} />;
}
