import type { ReactNode } from 'react';
import type { PolicyReference } from '../../api/generated/types.gen.ts';
import { ForeignText, revealed } from '../../ui/foreign-text.tsx';
import { tip } from '../../ui/tip.tsx';
import { EditorLink } from '../../ui/traceback/editor-link.tsx';

/** A policy by its name, with its MRN and domain on hover. */
export function PolicyName({ policy }: { policy: PolicyReference }): ReactNode {
  const { mrn, name, domain } = policy;
  return (
    <strong className="clip" {...tip(`${revealed(mrn)}\nin the domain ${revealed(domain)}`)}>
      <ForeignText text={name ?? mrn} />
    </strong>
  );
}

/** File and line of a policy's Rego, as a link into the editor where possible. */
export function PolicyLocation({ policy }: { policy: PolicyReference }): ReactNode {
  const { file, line } = policy;
  const text = `${revealed(file.replace(/^.*[\\/]/, ''))}:${line}`;
  return (
    <span className="mono" title={`${revealed(file)}:${line}`}>
      {/* A relative file is below the working directory of the service, which only it knows. */}
      <EditorLink location={{ file, line }} text={text} />
    </span>
  );
}
