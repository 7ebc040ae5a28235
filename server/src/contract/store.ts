import { z } from 'zod';
import { jsonObject, limitBody, offsetBody, timestamp } from './scalars.ts';

/** What model/store/item-key.ts takes as one label: neither empty, nor with a dot or U+0000, U+0001. */
const labelText = { type: 'string', pattern: '^[^.\\u0000\\u0001]+$' } as const;

const label = z.string({ error: 'must be a string' }).meta({ override: labelText });
const labels = z.array(label, { error: 'must be an array of strings' });

export const storeItem = z
  .object({
    namespace: z.array(z.string()).meta({ example: ['users', '42'] }),
    key: z.string(),
    value: z.unknown().meta({ description: 'Any JSON.' }),
    metadata: jsonObject.meta({ description: 'What searches filter by.' }),
    created_at: timestamp,
    updated_at: timestamp,
    score: z.exactOptional(z.number()).meta({
      description:
        'Extension, only of a search by `query`: how near the item is, from -1 to 1 (cosine). Left out where the item has nothing to be compared by.',
    }),
  })
  .meta({ id: 'StoreItem' });

/** Spec: Store. One dot-separated path, or the parameter repeated; http/routes/store-routes.ts distinguishes them. */
export const itemKeyQuery = z.object({
  namespace: z.union([z.string(), z.array(z.string())], { error: 'is required' }).meta({
    description:
      'The path: dot-separated (`namespace=users.42`) or the parameter repeated (`namespace=users&namespace=42`).',
    override: {
      anyOf: [
        { type: 'string', pattern: '^[^.\\u0000\\u0001]+(\\.[^.\\u0000\\u0001]+)*$' },
        { type: 'array', items: labelText, minItems: 2 },
      ],
    },
  }),
  key: z
    .string({
      error: (issue) => (issue.input === undefined ? 'is required' : 'must be given once'),
    })
    .meta({
      description: '1 to 512 bytes.',
      override: { pattern: '^[^\\u0000\\u0001]+$', maxLength: 512 },
    }),
});

export const storePutBody = z
  .object({
    value: z.unknown().meta({ description: 'Any JSON, also null; at most 8 MiB.' }),
    metadata: z.exactOptional(jsonObject).meta({
      description: 'What searches filter by: at most 100 keys and 64 KiB. Left out: none.',
    }),
    index: z.exactOptional(z.union([z.literal(false), z.array(z.string())])).meta({
      description:
        "Extension: which paths of the value a search by `query` compares, in LangGraph's notation; false: none. Left out: those of `store.index.fields` in the manifest. Without an index it has no effect.",
    }),
    // As model/store/store-settings.ts has it: a hundred years.
    ttl: z.exactOptional(z.number().gt(0).max(52_704_000).nullable()).meta({
      description:
        'Extension: minutes until the item expires; null: it stays until it is deleted. Left out: `store.ttl.default_ttl` of the manifest, or null.',
    }),
  })
  .meta({ id: 'StorePut' });

export const storeSearchBody = z
  .object({
    namespace: labels.meta({
      description:
        'The path that the items lie on or below, from its first label; an empty array is everything.',
      example: ['users'],
    }),
    filter: z.exactOptional(jsonObject).meta({
      description:
        'Items whose metadata has each of these members with an equal value. Objects and arrays are compared as wholes, numbers by their value; null fits only null.',
    }),
    query: z.exactOptional(z.string().max(65_536)).meta({
      description:
        'Extension: the items that mean the same come first, by `score`; behind them those without one. At most 64 KiB. Without `store.index` in the manifest it has no effect.',
    }),
    limit: limitBody,
    offset: offsetBody,
  })
  .meta({ id: 'StoreSearch' });

export const storeNamespacesBody = z
  .object({
    prefix: z.exactOptional(labels).meta({
      description: 'Paths that begin with these labels; the label `*` stands for any one.',
    }),
    suffix: z
      .exactOptional(labels)
      .meta({ description: 'Extension: paths that end with these labels, `*` as in `prefix`.' }),
    max_depth: z
      .exactOptional(
        z
          .number({ error: 'must be an integer from 1' })
          .int({ error: 'must be an integer from 1' })
          .min(1, { error: 'must be an integer from 1' })
          .max(2000, { error: 'must be an integer from 1 to 2000' }),
      )
      .meta({ description: 'Extension: deeper paths are cut to so many labels, each given once.' }),
    limit: limitBody,
    offset: offsetBody,
  })
  .meta({ id: 'StoreNamespaces' });

export const storeItems = z.object({ items: z.array(storeItem) }).meta({ id: 'StoreItems' });

export const storeNamespaceList = z
  .object({ namespaces: z.array(z.array(z.string())) })
  .meta({ id: 'StoreNamespaceList' });

export type StoreItemWire = z.infer<typeof storeItem>;
