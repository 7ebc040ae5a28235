import { ActionIcon } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { formatNumber } from './format.ts';
import { tip } from './tip.tsx';

interface PauseButtonProps {
  readonly isPaused: boolean;
  /** How many have come since and are not shown. */
  readonly waiting: number;
  readonly onPause: () => void;
  readonly onResume: () => void;
}

/** Stops a list that grows, which continues to receive, and shows how much waits. */
export function PauseButton(props: PauseButtonProps): ReactNode {
  const { isPaused, waiting, onPause, onResume } = props;
  const label = isPaused ? 'Resume (p)' : 'Pause (p)';
  const Icon = isPaused ? IconPlayerPlay : IconPlayerPause;
  return (
    <span className="toolbar-pause numeric">
      <ActionIcon
        {...tip(label)}
        size="sm"
        variant={isPaused ? 'filled' : 'subtle'}
        color={isPaused ? 'accent' : 'gray'}
        aria-label={label}
        aria-pressed={isPaused}
        onClick={isPaused ? onResume : onPause}
      >
        <Icon size={14} aria-hidden />
      </ActionIcon>
      {isPaused && <span role="status">{formatNumber(waiting)} waiting</span>}
    </span>
  );
}
