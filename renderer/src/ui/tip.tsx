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
 * the first page is drawn; this one is drawn when there is something to tell.
 */
export function Tips(): ReactNode {
  const [shown, setShown] = useState<ShownTip>();
  const id = useId();
  useEffect(() => watchTips(setShown), []);
  const target = shown?.target;
  useEffect(() => {
    if (target === undefined) return;
    const before = target.getAttribute('aria-describedby');
    target.setAttribute('aria-describedby', before === null ? id : `${before} ${id}`);
    return () => {
      if (before === null) target.removeAttribute('aria-describedby');
      else target.setAttribute('aria-describedby', before);
    };
  }, [target, id]);
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
