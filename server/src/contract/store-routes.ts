import { asksItem, asksItems, asksNamespaces } from './permissions.ts';
import { defineRoute } from './route.ts';
import {
  storeItem,
  storeItems,
  storeNamespaceList,
  storeNamespacesBody,
  itemKeyQuery,
  storePutBody,
  storeSearchBody,
} from './store.ts';

const storeErrors = ['invalid_request', 'store_disabled', 'store_unavailable'] as const;

export const listStoreNamespaces = defineRoute({
  method: 'post',
  path: '/store/namespaces',
  operationId: 'listStoreNamespaces',
  tag: 'store',
  asks: asksNamespaces,
  summary: "List the store's namespaces",
  description:
    'The paths that have items, sorted by their labels. The headers `X-Pagination-Total` and `X-Pagination-Next` tell how many there are and where the next page begins.',
  body: storeNamespacesBody,
  responses: { 200: { description: 'The paths.', schema: storeNamespaceList } },
  errors: storeErrors,
});

export const putStoreItem = defineRoute({
  method: 'put',
  path: '/store/items',
  operationId: 'putStoreItem',
  tag: 'store',
  asks: asksItem('put'),
  summary: 'Put an item',
  description:
    'Creates the item or replaces its value and metadata; the time of its creation stays. When the item cannot be embedded for the index, nothing changes.',
  query: itemKeyQuery,
  body: storePutBody,
  responses: { 204: { description: 'The item is stored.' } },
  errors: [...storeErrors, 'storage_full', 'embedding_failed'],
});

export const getStoreItem = defineRoute({
  method: 'get',
  path: '/store/items',
  operationId: 'getStoreItem',
  tag: 'store',
  asks: asksItem('get'),
  summary: 'Read an item',
  description: 'One item, with its value as it was put.',
  query: itemKeyQuery,
  // The time of an item that expires begins anew.
  changes: () => true,
  responses: { 200: { description: 'The item.', schema: storeItem } },
  errors: [...storeErrors, 'item_not_found'],
});

export const deleteStoreItem = defineRoute({
  method: 'delete',
  path: '/store/items',
  operationId: 'deleteStoreItem',
  tag: 'store',
  asks: asksItem('delete'),
  summary: 'Delete an item',
  description: 'Also responds with 204 when there is no such item.',
  query: itemKeyQuery,
  responses: { 204: { description: 'The item is gone.' } },
  errors: storeErrors,
});

export const searchStoreItems = defineRoute({
  method: 'post',
  path: '/store/items/search',
  operationId: 'searchStoreItems',
  tag: 'store',
  asks: asksItems,
  summary: 'Search items',
  description:
    'The items on a path and below it, sorted by path and key, or with `query` by how near they are. The headers `X-Pagination-Total` and `X-Pagination-Next` tell how many there are and where the next page begins; a page ends early at 16 MiB of values.',
  body: storeSearchBody,
  responses: { 200: { description: 'The items.', schema: storeItems } },
  errors: [...storeErrors, 'embedding_failed'],
});
