import { textOf } from '../../api/json-record.ts';
import type { BundleLine } from './bundle-lines.ts';
import type { BundleThread } from './bundle-threads.ts';
import { jsonOf } from './read-bundle.ts';

/** The state at a checkpoint: the projections of the channel versions that it references (docs/bundle-format.md). */
export function valuesAt({ blobs }: BundleThread, checkpoint: BundleLine): Record<string, unknown> {
  const versions: unknown = checkpoint['versions'];
  if (typeof versions !== 'object' || versions === null) return {};
  const ns = textOf(checkpoint, 'ns');
  const values: Record<string, unknown> = {};
  for (const blob of blobs) {
    const channel = textOf(blob, 'channel');
    if (channel === undefined || textOf(blob, 'ns') !== ns) continue;
    if (Reflect.get(versions, channel) !== textOf(blob, 'version')) continue;
    const value = jsonOf(blob, 'json');
    if (value !== undefined) values[channel] = value;
  }
  return values;
}
