import {
  ActionIcon,
  useComputedColorScheme,
  useMantineColorScheme,
  VisuallyHidden,
} from '@mantine/core';
import { spotlight } from '@mantine/spotlight';
import { IconMoon, IconSearch, IconSun } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { busyCountQuery } from '../api/queries/busy-count.ts';
import { KeyNames } from '../ui/key-names.tsx';
import { formatNumber } from '../ui/format.ts';
import { DebugSign } from './debug-sign.tsx';
import { ServiceStatus } from './service-status.tsx';
import { tip } from '../ui/tip.tsx';
import './header.css';

/** The folder, the health, the running threads, the search, and the principal. */
export function Header({ principalSwitcher }: { principalSwitcher: ReactNode }): ReactNode {
  return (
    <header className="header">
      <div className="header-start">
        <ServiceStatus />
        <RunningCount />
        <DebugSign />
      </div>
      <button className="header-search" type="button" onClick={() => spotlight.open()}>
        <IconSearch size={14} aria-hidden />
        <span>Search or run…</span>
        <KeyNames keys="mod+k" />
      </button>
      <div className="header-end">
        {principalSwitcher}
        <SchemeToggle />
      </div>
    </header>
  );
}

function RunningCount(): ReactNode {
  const { data, isError } = useQuery(busyCountQuery);
  if (isError || data === undefined || data === null) return null;
  const isNone = data === 0;
  return (
    <Link
      className={isNone ? 'header-running header-running-none' : 'header-running'}
      to="/threads?status=busy"
    >
      <span aria-hidden>▸</span> running {formatNumber(data)}
      <VisuallyHidden> {data === 1 ? 'thread' : 'threads'}</VisuallyHidden>
    </Link>
  );
}

function SchemeToggle(): ReactNode {
  const scheme = useComputedColorScheme('light');
  const { setColorScheme } = useMantineColorScheme();
  const next = scheme === 'dark' ? 'light' : 'dark';
  const Icon = scheme === 'dark' ? IconSun : IconMoon;
  return (
    <ActionIcon
      {...tip(`Switch to ${next}`)}
      aria-label={`Switch to ${next}`}
      onClick={() => setColorScheme(next)}
    >
      <Icon size={16} stroke={1.6} aria-hidden />
    </ActionIcon>
  );
}
