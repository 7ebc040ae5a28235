import { ActionIcon } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useEffect, useState, type ReactNode } from 'react';
import type { Checkpoint } from './checkpoint.ts';
import { tip } from '../../ui/tip.tsx';

interface ScrubberProps {
  /** The checkpoints of one line of descent, oldest first. */
  readonly line: readonly Checkpoint[];
  readonly at: string | undefined;
  readonly onMove: (id: string) => void;
}

const every = 700;

/** Moves through a line of checkpoints manually, or plays it. */
export function Scrubber({ line, at, onMove }: ScrubberProps): ReactNode {
  const [isPlaying, setPlaying] = useState(false);
  const index = Math.max(
    0,
    line.findIndex(({ id }) => id === at),
  );
  const next = line[index + 1]?.id;
  const isMoving = isPlaying && next !== undefined;
  useEffect(() => {
    if (!isMoving) return undefined;
    const timer = setTimeout(() => onMove(next), every);
    return () => clearTimeout(timer);
  }, [isMoving, next, onMove]);

  const toggle = (): void => {
    const first = line[0]?.id;
    if (!isMoving && next === undefined && first !== undefined) onMove(first);
    setPlaying(!isMoving);
  };
  const Icon = isMoving ? IconPlayerPause : IconPlayerPlay;
  const name = isMoving ? 'Pause' : 'Play through the checkpoints';
  const here = line[index];
  return (
    <div className="row grow">
      <ActionIcon
        {...tip(name)}
        size="sm"
        aria-label={name}
        onClick={toggle}
        disabled={line.length < 2}
      >
        <Icon size={14} aria-hidden />
      </ActionIcon>
      <div className="scrubber-track">
        <div className="scrubber-ticks" aria-hidden="true">
          {line.length <= 120 &&
            line.map(({ id, source }, position) => (
              <span
                key={id}
                data-input={source === 'input' || undefined}
                data-passed={position <= index || undefined}
                style={{ left: `${(100 * position) / Math.max(1, line.length - 1)}%` }}
              />
            ))}
        </div>
        <input
          type="range"
          aria-label="Position in the history"
          aria-valuetext={here && `Checkpoint ${index + 1} of ${line.length}, step ${here.step}`}
          min={0}
          max={Math.max(0, line.length - 1)}
          value={index}
          onChange={(event) => {
            const id = line[Number(event.target.value)]?.id;
            setPlaying(false);
            if (id !== undefined) onMove(id);
          }}
        />
      </div>
      <span className="scrubber-position dim small numeric">
        {line.length === 0 ? '' : `${index + 1} of ${line.length}`}
      </span>
    </div>
  );
}
