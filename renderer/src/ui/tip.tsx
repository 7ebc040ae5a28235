import { Tooltip } from '@mantine/core';
import { type ReactNode, useEffect, useId, useState } from 'react';
import { type ShownTip, watchTips } from './watch-tips.ts';

/** The tip of an element, shown while the pointer or the keyboard's focus rests on it: spread into its props. */
export function tip(
  label: string | undefined,
  side: ShownTip['side'] = 'top',
): { 'data-tip': string | undefined; 'data-tip-side': ShownTip['side'] } {
  return { 'data-tip': label, 'data-tip-side': side };
}

/**
 * The one tooltip of the window. A closed tooltip around every button took an eighth of the time in which the first page
 * was rendered; this one is rendered when there is a tip.
 */
export function Tips(): ReactNode {
  const [shown, setShown] = useState<ShownTip>();
  const id = useId();
  useEffect(() => watchTips(setShown), []);
  const target = shown?.target;
  const label = shown?.label;
  useEffect(() => {
    // A screen reader must not announce a name twice.
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
