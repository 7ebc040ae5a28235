import type { BaseStore } from '@langchain/langgraph-checkpoint';

/** LangGraph.js's wrapper around the store that nodes are given. */
export interface BatchedStoreClass {
  prototype: {
    listNamespaces(...options: unknown[]): Promise<string[][]>;
    put(...item: unknown[]): Promise<void>;
  };
}

interface BatchedStore {
  store?: BaseStore;
  enqueueOperation?(operation: object): Promise<void>;
}

/**
 * Lets nodes list namespaces and name the paths to index. The wrapper passes on every other operation, but inherits the
 * first, which then ends in its own `batch`, and that one throws; and its `put` takes no `index`.
 */
export function passOnToStore({ prototype }: BatchedStoreClass): void {
  if (!Object.hasOwn(prototype, 'listNamespaces')) passOnListNamespaces(prototype);
  if (Object.hasOwn(prototype, 'put') && prototype.put.length === 3) passOnIndex(prototype);
}

function passOnListNamespaces(prototype: BatchedStoreClass['prototype']): void {
  const inherited = prototype.listNamespaces;
  prototype.listNamespaces = function (this: BatchedStore, ...options) {
    const wrapped = this.store;
    return typeof wrapped?.listNamespaces === 'function'
      ? wrapped.listNamespaces(...(options as Parameters<BaseStore['listNamespaces']>)) // as it came
      : inherited.apply(this as never, options); // another version keeps it elsewhere
  };
}

function passOnIndex(prototype: BatchedStoreClass['prototype']): void {
  const own = prototype.put;
  prototype.put = function (this: BatchedStore, ...item) {
    const [namespace, key, value, index] = item;
    return index === undefined || this.enqueueOperation === undefined
      ? own.apply(this as never, item)
      : this.enqueueOperation({ namespace, key, value, index });
  };
}
