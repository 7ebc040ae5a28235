import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Policies, PolicyFinding } from '../../api/generated/types.gen.ts';
import { ForeignText, revealed } from '../../ui/foreign-text.tsx';
import { formatNumber } from '../../ui/format.ts';
import { TimeAgo } from '../../ui/time-ago.tsx';
import { tip } from '../../ui/tip.tsx';

/** Further ones are in the log. */
const maxFindings = 5;

/** Which policies decide, in one line. */
export function PolicySummary({ policies }: { policies: Policies }): ReactNode {
  const { type, is_permissive: isPermissive, domains, loaded_at: loadedAt } = policies;
  if (isPermissive) {
    return (
      <span className="clip is-warning">
        {type === 'allowall'
          ? 'authz.type is allowall: no policy is evaluated, everything is permitted'
          : 'No policy files: everything is permitted'}
      </span>
    );
  }
  const count = domains.reduce((sum, { policies }) => sum + policies, 0);
  const files = domains.map(({ name, file }) => `${revealed(name)}  ${revealed(file)}`).join('\n');
  return (
    <span className="access-summary row grow dim">
      <span className="clip" {...tip(files)}>
        {domains.map(({ name }) => revealed(name)).join(', ')}
      </span>
      <span>
        {formatNumber(count)} {count === 1 ? 'policy' : 'policies'}
      </span>
      <span>
        loaded <TimeAgo time={loadedAt} />
      </span>
    </span>
  );
}

/** A newer version of the files cannot be used: which version is in use, and what is wrong with the other. */
export function PolicyFindings({ findings }: { findings: readonly PolicyFinding[] }): ReactNode {
  const shown = findings.slice(0, maxFindings);
  return (
    <section className="note access-findings" data-tone="error" role="alert">
      <IconAlertTriangle size={16} aria-hidden />
      <div>
        <h2>The changed policy files cannot be used</h2>
        <p>The policies that were loaded before stay in use.</p>
        <ul>
          {shown.map(({ file, line, column, message }) => (
            <li key={`${file}:${line}:${column} ${message}`}>
              <span className="mono">
                {revealed(file, 400)}:{line}:{column}
              </span>{' '}
              <ForeignText text={message} maxLength={400} />
            </li>
          ))}
        </ul>
        {findings.length > shown.length && (
          <p className="dim">and {formatNumber(findings.length - shown.length)} more in the log</p>
        )}
      </div>
    </section>
  );
}
