import type { ReactNode } from 'react';
import type { PolicyReference } from '../../api/generated/types.gen.ts';
import { ForeignText, revealed } from '../../ui/foreign-text.tsx';
import { tip } from '../../ui/tip.tsx';
import { EditorLink } from '../../ui/traceback/editor-link.tsx';

/** A policy by its name, with its MRN and domain on hover. */
export function PolicyName({ policy }: { policy: PolicyReference }): ReactNode {
  const { mrn, name, domain } = policy;
  return (
    <span className="policy-name" {...tip(`${revealed(mrn)}\nin the domain ${revealed(domain)}`)}>
      <ForeignText text={name ?? mrn} />
    </span>
  );
}

/** Where the Rego of a policy begins, as a link into the editor where that can be made. */
export function PolicyPlace({ policy }: { policy: PolicyReference }): ReactNode {
  const { file, line } = policy;
  const text = `${revealed(file.replace(/^.*[\\/]/, ''))}:${line}`;
  return (
    <span className="policy-place mono" title={`${revealed(file)}:${line}`}>
      {/* A relative file lies below the folder that the service was started in, which only it knows. */}
      <EditorLink place={{ file, line }} text={text} />
    </span>
  );
}
