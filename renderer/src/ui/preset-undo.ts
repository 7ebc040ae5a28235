import { revealed } from './foreign-text.tsx';
import { offerUndo, type Undoable } from './undo.tsx';

/** Offers to undo the deletion of a preset. Its name may be another client's, and long. */
export function offerPresetUndo(name: string, { undo, commit }: Pick<Undoable, 'undo' | 'commit'>) {
  const shown = revealed(name, 60);
  offerUndo({
    label: `Preset ${shown} deleted`,
    failed: `The preset ${shown} could not be deleted`,
    undo,
    commit,
  });
}
