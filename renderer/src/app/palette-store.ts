import { createSpotlight } from '@mantine/spotlight';

/** The state of the palette, and what opens and closes it. */
export const [paletteStore, palette] = createSpotlight();

/**
 * Results come while a person reads those that are there, above and below them. The first one is selected, or the one
 * that the person has moved to.
 */
export function keepSelection(list: ParentNode | null, { hasMoved }: { hasMoved: boolean }): void {
  const actions = [...(list?.querySelectorAll('[data-action]') ?? [])];
  const before = actions.findIndex((action) => action.hasAttribute('data-selected'));
  const selected = hasMoved && before >= 0 ? before : Math.min(0, actions.length - 1);
  // As Spotlight itself does when an arrow key is pressed.
  actions[before]?.removeAttribute('data-selected');
  actions[selected]?.setAttribute('data-selected', 'true');
  paletteStore.updateState((state) => ({ ...state, selected }));
}
