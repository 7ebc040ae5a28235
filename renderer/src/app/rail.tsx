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
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { NavLink } from 'react-router';
import { listAgentsOptions } from '../api/generated/@tanstack/react-query.gen.ts';
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

/** Links to every part of the studio, 52 px wide; the agents have a mark while some could not be loaded. */
export function Rail(): ReactNode {
  const agents = useQuery({ ...listAgentsOptions(), refetchInterval: 30_000, retry: false });
  const broken = agents.data?.filter(({ error }) => error !== undefined).length ?? 0;
  const marks = new Map(broken > 0 ? [['/agents', `${broken} not loaded`]] : []);
  const renderItem = (item: RailItem): ReactNode => (
    <RailLink key={item.to} item={item} warning={marks.get(item.to)} />
  );
  return (
    <nav className="rail" aria-label="Parts of the studio">
      <span className="rail-mark">
        <Mark />
      </span>
      {railItems.map(renderItem)}
      <span className="grow" />
      {lowerRailItems.map(renderItem)}
    </nav>
  );
}

interface RailLinkProps {
  readonly item: RailItem;
  readonly warning: string | undefined;
}

function RailLink({ item, warning }: RailLinkProps): ReactNode {
  const { to, label, keys, icon: Icon } = item;
  const name = warning === undefined ? label : `${label}, ${warning}`;
  return (
    <NavLink
      {...tip(keys === undefined ? name : `${name}  ${keys}`, 'right')}
      className="rail-item"
      to={to}
      aria-label={name}
    >
      <Icon size={20} stroke={1.6} aria-hidden />
      {warning !== undefined && <span className="rail-warning" aria-hidden />}
    </NavLink>
  );
}
