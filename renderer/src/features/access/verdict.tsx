import {
  IconArrowRight,
  IconBan,
  IconCheck,
  IconCircleDashed,
  type TablerIcon,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';

interface Appearance {
  readonly icon: TablerIcon;
  readonly word: string;
}

const appearances = {
  grants: { icon: IconCheck, word: 'granted' },
  denies: { icon: IconBan, word: 'denied' },
  passes: { icon: IconArrowRight, word: 'passed on' },
  unevaluated: { icon: IconCircleDashed, word: 'not evaluated' },
} as const satisfies Readonly<Record<string, Appearance>>;

/** The result of a decision, a phase or one policy. */
export type VerdictOf = keyof typeof appearances;

/** A verdict by icon, word and colour. */
export function Verdict({ of }: { of: VerdictOf }): ReactNode {
  const { icon: Icon, word } = appearances[of];
  return (
    <span className="verdict" data-verdict={of}>
      <Icon size={14} stroke={2} aria-hidden />
      {word}
    </span>
  );
}
