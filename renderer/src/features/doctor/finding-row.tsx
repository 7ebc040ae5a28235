import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Finding } from '../../../../electron/src/ipc/contract.ts';
import { CopyButton } from '../../ui/copy-button.tsx';

const looks = {
  ok: { Icon: IconCircleCheck, word: 'ok' },
  warn: { Icon: IconAlertTriangle, word: 'warning' },
  fail: { Icon: IconCircleX, word: 'failing' },
  absent: { Icon: IconCircleDashed, word: 'not there' },
} as const;

/** One thing that was looked at: how it is, and what to do when it is not well. */
export function FindingRow({ finding }: { finding: Finding }): ReactNode {
  const { title, state, detail, fix } = finding;
  const { Icon, word } = looks[state];
  return (
    <li data-state={state}>
      <span className="doctor-state">
        <Icon size={16} aria-hidden /> {word}
      </span>
      <strong>{title}</strong>
      <div>
        <p>{detail}</p>
        {fix !== '' && (
          <p className="doctor-fix">
            {fix} <CopyButton value={fix} label={`Copy what to do about ${title}`} />
          </p>
        )}
      </div>
    </li>
  );
}
