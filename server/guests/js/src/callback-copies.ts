type Metadata = Record<string, unknown>;

/** LangChain.js's callback manager, as far as its copies are concerned. */
interface CallbackManager {
  metadata: Metadata;
  inheritableMetadata: Metadata;
}
export interface CallbackManagerClass {
  prototype: {
    copy(...more: unknown[]): CallbackManager;
    removeMetadata(metadata: Metadata): void;
  };
}

const done = new WeakSet<object>();
const none: Metadata = Object.freeze({});

/**
 * From now on a callback manager's copy shares the metadata until one of them changes it. LangGraph.js makes about ten
 * copies for every node, and each adds the metadata key by key, every time to a new object with all keys so far: nearly
 * half of what callbacks cost a short run.
 */
export function shareCopiedMetadata({ prototype }: CallbackManagerClass): void {
  if (done.has(prototype)) return;
  done.add(prototype);
  const { copy, removeMetadata } = prototype;
  prototype.copy = function (this: CallbackManager, ...more) {
    const { metadata, inheritableMetadata } = this;
    // So that it finds nothing to add.
    this.metadata = this.inheritableMetadata = none;
    try {
      const made = copy.apply(this as never, more);
      made.metadata = metadata;
      made.inheritableMetadata = inherited(inheritableMetadata, metadata);
      return made;
    } finally {
      this.metadata = metadata;
      this.inheritableMetadata = inheritableMetadata;
    }
  };
  // The only method that changes the object: adding makes a new one.
  prototype.removeMetadata = function (this: CallbackManager, metadata) {
    this.metadata = { ...this.metadata };
    this.inheritableMetadata = { ...this.inheritableMetadata };
    removeMetadata.call(this as never, metadata);
  };
}

/** What a copy inherits further: the same keys, but with the values of `metadata`. */
function inherited(inheritable: Metadata, metadata: Metadata): Metadata {
  for (const key in inheritable) {
    if (inheritable[key] !== metadata[key]) {
      const known = Object.keys(inheritable).filter((name) => name in metadata);
      return Object.fromEntries(known.map((name) => [name, metadata[name]]));
    }
  }
  return inheritable;
}
