import {
  IconBug,
  IconDatabase,
  IconFileText,
  IconMessages,
  IconPackage,
  IconPlayerPlay,
  IconRobot,
  IconSettings,
  IconShieldLock,
  IconStethoscope,
  type TablerIcon,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { NavLink } from 'react-router';
import { Mark } from './mark.tsx';
import { tip } from '../ui/tip.tsx';

interface RailItem {
  readonly to: string;
  readonly label: string;
  readonly keys?: string;
  readonly icon: TablerIcon;
}

/** The items of the rail, upper and lower part; the palette and the keys have the same ones. */
export const railItems: readonly RailItem[] = [
  { to: '/threads', label: 'Threads', keys: 'g t', icon: IconMessages },
  { to: '/runs', label: 'Runs', keys: 'g r', icon: IconPlayerPlay },
  { to: '/agents', label: 'Agents', keys: 'g a', icon: IconRobot },
  { to: '/store', label: 'Store', keys: 'g s', icon: IconDatabase },
  { to: '/logs', label: 'Logs', keys: 'g l', icon: IconFileText },
];
export const lowerRailItems: readonly RailItem[] = [
  { to: '/debug', label: 'Debugger', keys: 'g b', icon: IconBug },
  { to: '/bundles', label: 'Bundles', keys: 'g u', icon: IconPackage },
  { to: '/access', label: 'Access', keys: 'g c', icon: IconShieldLock },
  { to: '/doctor', label: 'Doctor', keys: 'g d', icon: IconStethoscope },
  { to: '/settings', label: 'Settings', keys: 'g ,', icon: IconSettings },
];

/** Links to every part of the studio, 52 px wide. */
export function Rail(): ReactNode {
  return (
    <nav className="rail" aria-label="Parts of the studio">
      <span className="rail-mark">
        <Mark />
      </span>
      {railItems.map(renderItem)}
      <span className="rail-space" />
      {lowerRailItems.map(renderItem)}
    </nav>
  );
}

function renderItem({ to, label, keys, icon: Icon }: RailItem): ReactNode {
  return (
    <NavLink
      key={to}
      {...tip(keys === undefined ? label : `${label}  ${keys}`, 'right')}
      className="rail-item"
      to={to}
      aria-label={label}
    >
      <Icon size={20} stroke={1.6} aria-hidden />
    </NavLink>
  );
}
