import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { infoQuery } from '../../api/queries/health.ts';

/** The service's warnings about members of the folder's manifest that have no effect; nothing without any. */
export function ManifestNotes(): ReactNode {
  const { data } = useQuery(infoQuery);
  const warnings = data?.['manifest_warnings'];
  const notes = Array.isArray(warnings) ? warnings.filter((note) => typeof note === 'string') : [];
  if (notes.length === 0) return null;
  const count = notes.length === 1 ? '1 note' : `${notes.length} notes`;
  return (
    <details className="hint small">
      <summary>{count} on the manifest</summary>
      <ul className="bullets">
        {notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </details>
  );
}
