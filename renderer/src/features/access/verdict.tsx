import {
  IconArrowRight,
  IconBan,
  IconCheck,
  IconCircleDashed,
  type TablerIcon,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';

interface Look {
  readonly icon: TablerIcon;
  readonly word: string;
}

const looks = {
  grants: { icon: IconCheck, word: 'granted' },
  denies: { icon: IconBan, word: 'denied' },
  passes: { icon: IconArrowRight, word: 'passed on' },
  unasked: { icon: IconCircleDashed, word: 'not asked' },
} as const satisfies Readonly<Record<string, Look>>;

/** What a decision, a phase or one policy came to. */
export type VerdictOf = keyof typeof looks;

/** A verdict by icon, word and colour. */
export function Verdict({ of }: { of: VerdictOf }): ReactNode {
  const { icon: Icon, word } = looks[of];
  return (
    <span className="verdict" data-verdict={of}>
      <Icon size={14} stroke={2} aria-hidden />
      {word}
    </span>
  );
}
