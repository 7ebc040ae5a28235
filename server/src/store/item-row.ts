import { createHash } from 'node:crypto';
import type { Selectable } from 'kysely';
import { canonicalJson, jsonText } from '../model/json.ts';
import type { IndexPaths } from '../model/store/store-settings.ts';
import { pathLabels } from './key-columns.ts';
import type { StoreItem } from './port.ts';
import type { StoreTables } from './schema.ts';

/** A row as the port returns it. */
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

/**
 * One tag for every member of a JSON object: equal for equal members, regardless of the order of nested keys and of how
 * a number is written. Searches by metadata are then index look-ups, the same in both databases.
 */
export function metadataTags(members: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(members).map(([name, value]) =>
    createHash('sha256')
      .update(canonicalJson([name, value]))
      .digest('base64url'),
  );
}
