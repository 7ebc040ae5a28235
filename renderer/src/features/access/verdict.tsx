import { IconArrowRight, IconBan, IconCheck, IconCircleDashed } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { type Appearance, StateWord } from '../../ui/status-badge.tsx';

const appearances = {
  grants: { icon: IconCheck, word: 'granted', tone: 'completed' },
  denies: { icon: IconBan, word: 'denied', tone: 'error' },
  passes: { icon: IconArrowRight, word: 'passed on', tone: 'cancelled' },
  unevaluated: { icon: IconCircleDashed, word: 'not evaluated', tone: 'cancelled' },
} as const satisfies Readonly<Record<string, Appearance & { word: string }>>;

/** The result of a decision, a phase or one policy. */
export type VerdictOf = keyof typeof appearances;

/** A verdict by icon, word and colour. */
export function Verdict({ of }: { of: VerdictOf }): ReactNode {
  const { word, ...appearance } = appearances[of];
  return <StateWord {...appearance}>{word}</StateWord>;
}
