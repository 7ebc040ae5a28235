import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { infoQuery } from '../../api/queries/health.ts';

/** What the service says has no effect in the folder's manifest; nothing where it says nothing. */
export function ManifestNotes(): ReactNode {
  const { data } = useQuery(infoQuery);
  const told = data?.['manifest_warnings'];
  const notes = Array.isArray(told) ? told.filter((note) => typeof note === 'string') : [];
  if (notes.length === 0) return null;
  const count = notes.length === 1 ? '1 note' : `${notes.length} notes`;
  return (
    <details className="manifest-notes">
      <summary>{count} on the manifest</summary>
      <ul>
        {notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </details>
  );
}
