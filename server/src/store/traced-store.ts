import type { StorePort } from './port.ts';
import { traced, type Tracing } from '../observability/tracing.ts';

/** The same store with a span for each call in a trace. Spans omit paths and keys: they are client data. */
export function tracedStore(store: StorePort, tracing: Tracing, system: string): StorePort {
  function call<T>(operation: string, act: () => Promise<T>): Promise<T> {
    const attributes = { 'db.system.name': system, 'db.operation.name': operation };
    return traced(tracing, `store ${operation}`, { kind: 'client', attributes }, act);
  }
  return {
    put: (item) => call('put', () => store.put(item)),
    get: (itemKey) => call('get', () => store.get(itemKey)),
    head: (itemKey) => call('head', () => store.head(itemKey)),
    delete: (itemKey) => call('delete', () => store.delete(itemKey)),
    search: (query) => call('search', () => store.search(query)),
    refresh: (itemKeys) => call('refresh', () => store.refresh(itemKeys)),
    removeExpired: (limit) => store.removeExpired(limit),
    notIndexed: (index, limit, after) => store.notIndexed(index, limit, after),
    setIndexed: (item, indexed) => store.setIndexed(item, indexed),
    listNamespaces: (query) => call('list_namespaces', () => store.listNamespaces(query)),
    isHealthy: () => store.isHealthy(),
    close: () => store.close(),
  };
}
