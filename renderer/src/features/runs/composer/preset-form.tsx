import { Button, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { useSavePreset } from '../../../api/queries/change-presets.ts';
import type { Presets } from '../../../api/queries/presets.ts';
import type { Preset, PresetContent } from '../../../api/presets/preset.ts';
import { ErrorView } from '../../../ui/error-view.tsx';

interface PresetFormProps {
  readonly presets: Presets;
  /** What is saved, or why it cannot be. */
  readonly read: { readonly content: PresetContent } | { readonly problem: string };
  /** The name that the field begins with. */
  readonly firstName: string;
  readonly save: ReturnType<typeof useSavePreset>;
  readonly onSave: (name: string, content: PresetContent) => void;
}

/** The name of a preset, and the button that saves it: as a new one, or in place of the one of that name. */
export function PresetForm({ presets, read, firstName, save, onSave }: PresetFormProps): ReactNode {
  const [typed, setTyped] = useState(firstName);
  const name = typed.trim();
  const problem = 'problem' in read ? read.problem : undefined;
  const taken = presets.list.filter((preset) => preset.name.trim() === name);
  const submit = (): void => {
    if (name !== '' && 'content' in read && !save.isPending) onSave(name, read.content);
  };
  return (
    // No form: it is within that of the run, which Enter here must not submit.
    <div
      className="stack"
      role="group"
      aria-label="Save preset"
      onKeyDown={(press) => {
        if (press.key !== 'Enter') return;
        press.preventDefault();
        press.stopPropagation();
        submit();
      }}
    >
      <div className="row">
        <TextInput
          flex={1}
          value={typed}
          placeholder="Name of this preset"
          aria-label="Name of this preset"
          maxLength={200}
          data-autofocus
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <Button
          onClick={submit}
          loading={save.isPending}
          disabled={name === '' || problem !== undefined}
        >
          {taken.length > 0 ? 'Replace' : 'Save'}
        </Button>
      </div>
      <p className="dim small">{problem ?? noteOf(presets, taken)}</p>
      {save.error !== null && (
        <ErrorView compact error={save.error} title="The preset was not saved" />
      )}
    </div>
  );
}

function noteOf({ whereKept, isService }: Presets, taken: readonly Preset[]): string {
  const where = whereKept === undefined ? '' : `${whereKept}.`;
  if (!isService || taken.length === 0) return where;
  return taken.some(({ keptIn }) => keptIn === 'service')
    ? `${where} The preset of this name gets a new version.`
    : `${where} The preset of this name leaves this browser.`;
}
