import { SegmentedControl } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { Permission } from '../../api/generated/types.gen.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ForeignText, revealed } from '../../ui/foreign-text.tsx';
import { decidedBy } from './decided.ts';
import { PolicyName, PolicyLocation } from './policy-name.tsx';
import { Verdict } from './verdict.tsx';

interface PermissionTableProps {
  readonly items: readonly Permission[];
  readonly chosen: Permission | undefined;
  readonly onChoose: (permission: Permission) => void;
}

type Shown = 'all' | 'granted' | 'denied';

/** Every operation with its verdict and the policy that gave it, grouped by resource. */
export function PermissionTable({ items, chosen, onChoose }: PermissionTableProps): ReactNode {
  const [shown, setShown] = useState<Shown>('all');
  const granted = items.filter((one) => one.is_allowed).length;
  const rows = items.filter((one) => shown === 'all' || one.is_allowed === (shown === 'granted'));
  const resources = [...new Set(rows.map(({ resource }) => resource))];
  return (
    <div className="pane">
      <div className="toolbar">
        <SegmentedControl
          aria-label="Verdict"
          data={[
            { value: 'all', label: `All ${items.length}` },
            { value: 'granted', label: `Granted ${granted}` },
            { value: 'denied', label: `Denied ${items.length - granted}` },
          ]}
          value={shown}
          onChange={setShown}
        />
      </div>
      {rows.length === 0 ? (
        <EmptyState title={shown === 'granted' ? 'Nothing is granted' : 'Nothing is denied'} />
      ) : (
        <div
          className="permission-scroll scroll"
          tabIndex={0}
          role="region"
          aria-label="Operations"
        >
          <table className="permission-table sticky-head">
            <thead>
              <tr>
                <th scope="col">Operation</th>
                <th scope="col">Verdict</th>
                <th scope="col">Decided by</th>
                <th scope="col" className="permission-policy">
                  Policy
                </th>
              </tr>
            </thead>
            {resources.map((resource) => (
              <tbody key={resource}>
                <tr className="permission-resource">
                  <th
                    className="mono dim clip"
                    scope="rowgroup"
                    colSpan={4}
                    title={revealed(resource, 600)}
                  >
                    <ForeignText text={resource} maxLength={600} />
                  </th>
                </tr>
                {rows
                  .filter((one) => one.resource === resource)
                  .map((one) => (
                    <PermissionRow
                      key={one.operation}
                      permission={one}
                      isChosen={one === chosen}
                      onChoose={() => onChoose(one)}
                    />
                  ))}
              </tbody>
            ))}
          </table>
        </div>
      )}
    </div>
  );
}

interface PermissionRowProps {
  readonly permission: Permission;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

function PermissionRow({ permission, isChosen, onChoose }: PermissionRowProps): ReactNode {
  const { operation, is_allowed: isGranted, phase, policy, reason } = permission;
  return (
    <tr
      className="selectable"
      data-selected={isChosen || undefined}
      title={revealed(reason, 400)}
      onClick={onChoose}
    >
      <th scope="row">
        <button type="button" aria-pressed={isChosen}>
          <span className="mono">{operation}</span>
        </button>
      </th>
      <td>
        <Verdict of={isGranted ? 'grants' : 'denies'} />
      </td>
      <td>{decidedBy({ isGranted, phase })}</td>
      <td className="permission-policy">
        {policy !== undefined ? (
          <span className="row">
            <PolicyName policy={policy} />
            <PolicyLocation policy={policy} />
          </span>
        ) : (
          // None denied, or several: the reason is clearer than a name.
          !isGranted && (
            <div className="clip dim">
              <ForeignText text={reason} />
            </div>
          )
        )}
      </td>
    </tr>
  );
}
