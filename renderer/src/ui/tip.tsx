import { Tooltip } from '@mantine/core';
import { type ReactNode, useEffect, useId, useState } from 'react';
import { type ShownTip, watchTips } from './watch-tips.ts';

/** What the pointer or the keyboard's focus, resting on an element, is told about it: spread into its props. */
export function tip(
  label: string | undefined,
  side: ShownTip['side'] = 'top',
): { 'data-tip': string | undefined; 'data-tip-side': ShownTip['side'] } {
  return { 'data-tip': label, 'data-tip-side': side };
}

/**
 * The one tooltip of the window. A closed tooltip of its own around every button took an eighth of the time in which
 * the first page was drawn; this one is drawn when there is something to tell.
 */
export function Tips(): ReactNode {
  const [shown, setShown] = useState<ShownTip>();
  const id = useId();
  useEffect(() => watchTips(setShown), []);
  const target = shown?.target;
  const label = shown?.label;
  useEffect(() => {
    // Nobody wants to hear a name twice.
    if (target === undefined || target.getAttribute('aria-label') === label) return undefined;
    describe(target, (ids) => [...ids, id]);
    return () => describe(target, (ids) => ids.filter((one) => one !== id));
  }, [target, label, id]);
  if (shown === undefined) return null;
  return (
    <Tooltip
      target={shown.target}
      label={<span id={id}>{shown.label}</span>}
      position={shown.side}
      opened
      multiline
      maw={480}
      style={{ whiteSpace: 'pre-wrap' }}
    />
  );
}

function describe(
  target: HTMLElement,
  change: (ids: readonly string[]) => readonly string[],
): void {
  const before = target.getAttribute('aria-describedby')?.split(' ') ?? [];
  const ids = change(before).join(' ');
  if (ids === '') target.removeAttribute('aria-describedby');
  else target.setAttribute('aria-describedby', ids);
}
