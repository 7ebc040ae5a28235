import { request } from './client.ts';
import { valueOf } from './desktop-reply.ts';
import { desktop } from '../desktop.ts';
import { principalHeader } from '../state/principal.ts';

/** Writes a thread, or one run of it with its events, into a file: with a dialog of the desktop, or as a download. */
export async function exportBundle(threadId: string, runUuid?: string): Promise<void> {
  const query = runUuid === undefined ? '' : `?run_id=${encodeURIComponent(runUuid)}`;
  const path = `/threads/${encodeURIComponent(threadId)}/bundle${query}` as const;
  const suggestedName = `${runUuid ?? threadId}.bundle.jsonl.gz`;
  if (desktop !== undefined) {
    const principal = principalHeader();
    const input = { path, suggestedName, ...(principal !== undefined && { principal }) };
    valueOf(await desktop.files.saveBundle(input));
    return;
  }
  const response = await request(path);
  const url = URL.createObjectURL(await response.blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = suggestedName;
  link.click();
  URL.revokeObjectURL(url);
}
