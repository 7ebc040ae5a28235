import type { Selectable } from 'kysely';
import { jsonText } from '../model/json-text.ts';
import type { IndexPaths } from '../model/store/store-settings.ts';
import { pathLabels } from './path.ts';
import type { StoreItem } from './port.ts';
import type { StoreTables } from './schema.ts';

/** A row as the port gives it. */
export function itemOf(row: Selectable<StoreTables['store_items']>): StoreItem {
  return {
    namespace: pathLabels(row.namespace),
    key: row.key,
    value: jsonText(row.value),
    metadata: jsonText(row.metadata),
    owner: row.owner,
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
    ...(row.ttl_ms !== null && { ttlMs: Number(row.ttl_ms) }),
    ...(row.index_paths !== null && { indexPaths: JSON.parse(row.index_paths) as IndexPaths }), // as putItem wrote it
  };
}
