import { Menu, UnstyledButton } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { type LastTime, lastTimes } from '../../../api/last-times.ts';
import { type TimeWindow, windowLabel } from './time-window.ts';

interface TimeMenuProps {
  readonly window: TimeWindow | undefined;
  readonly onChange: (window: TimeWindow | undefined) => void;
}

/** When the listed runs began. The chart sets any other window. */
export function TimeMenu({ window, onChange }: TimeMenuProps): ReactNode {
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <UnstyledButton
          className="filter-choice row small"
          data-chosen={window !== undefined || undefined}
        >
          <span>{window === undefined ? 'Any time' : windowLabel(window)}</span>
          <IconChevronDown size={12} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onChange(undefined)}>Any time</Menu.Item>
        {Object.entries(lastTimes).map(([since, { label }]) => (
          // `lastTimes` has these names alone.
          <Menu.Item key={since} onClick={() => onChange({ since: since as LastTime })}>
            {label}
          </Menu.Item>
        ))}
        <Menu.Label>Drag over the chart for any other</Menu.Label>
      </Menu.Dropdown>
    </Menu>
  );
}
