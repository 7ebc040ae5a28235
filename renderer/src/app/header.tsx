import {
  ActionIcon,
  useComputedColorScheme,
  useMantineColorScheme,
  VisuallyHidden,
} from '@mantine/core';
import { IconMoon, IconSearch, IconSun } from '@tabler/icons-react';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { threadCountQuery } from '../api/queries/thread-count.ts';
import { KeyNames } from '../ui/key-names.tsx';
import { formatNumber } from '../ui/format.ts';
import { DebugSign } from './debug-sign.tsx';
import { palette } from './palette-store.ts';
import { ServiceStatus } from './service-status.tsx';
import { tip } from '../ui/tip.tsx';
import './header.css';

/** The folder, the health, the running and the waiting threads, the search, and the principal. */
export function Header({ principalSwitcher }: { principalSwitcher: ReactNode }): ReactNode {
  return (
    <header className="header">
      <div className="header-start row">
        <ServiceStatus />
        <ThreadCounts />
        <DebugSign />
      </div>
      <button className="header-search row card" type="button" onClick={() => palette.open()}>
        <IconSearch size={14} aria-hidden />
        <span className="clip grow">Search or run…</span>
        <KeyNames keys="mod+k" />
      </button>
      <div className="header-end row">
        {principalSwitcher}
        <SchemeToggle />
      </div>
    </header>
  );
}

/** How many threads run, and how many wait for a person. */
function ThreadCounts(): ReactNode {
  const running = useQuery(threadCountQuery('busy'));
  const waiting = useQuery(threadCountQuery('interrupted'));
  return (
    <>
      <ThreadCount count={running} sign="▸" word="running" to="/threads?status=busy" />
      <ThreadCount count={waiting} sign="◐" word="waiting" to="/waiting" />
    </>
  );
}

const tones = { running: 'running', waiting: 'interrupted' } as const;

interface ThreadCountProps {
  readonly count: Pick<UseQueryResult<number | null>, 'data' | 'isError'>;
  readonly sign: string;
  readonly word: 'running' | 'waiting';
  readonly to: string;
}

function ThreadCount({ count: { data, isError }, sign, word, to }: ThreadCountProps): ReactNode {
  if (isError || data === undefined || data === null) return null;
  return (
    <Link
      className="header-link row tone"
      data-tone={data === 0 ? 'cancelled' : tones[word]}
      to={to}
    >
      <span aria-hidden>{sign}</span> {word} {formatNumber(data)}
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
