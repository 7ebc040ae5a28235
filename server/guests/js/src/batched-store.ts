import type { BaseStore } from '@langchain/langgraph-checkpoint';

/** LangGraph.js's wrapper around the store that nodes are given. */
export interface BatchedStoreClass {
  prototype: { listNamespaces(...options: unknown[]): Promise<string[][]> };
}

/**
 * Lets nodes list namespaces: the wrapper passes on every other operation, but inherits this one, which then ends in
 * its own `batch`, and that one throws.
 */
export function passOnListNamespaces({ prototype }: BatchedStoreClass): void {
  if (Object.hasOwn(prototype, 'listNamespaces')) return;
  const inherited = prototype.listNamespaces;
  prototype.listNamespaces = function (this: { store?: BaseStore }, ...options) {
    const wrapped = this.store;
    return typeof wrapped?.listNamespaces === 'function'
      ? wrapped.listNamespaces(...(options as Parameters<BaseStore['listNamespaces']>)) // as it came
      : inherited.apply(this as never, options); // another version keeps it elsewhere
  };
}
