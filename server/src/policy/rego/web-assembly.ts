/** A compiled module: threads share its code. */
export interface WasmModule {
  readonly [Symbol.toStringTag]: string;
}

export interface WasmInstance {
  /** Go exports nothing else that is of use here. */
  exports: { mem: { readonly buffer: ArrayBuffer } };
}

interface WebAssembly {
  compile(bytes: Uint8Array): Promise<WasmModule>;
  instantiate(module: WasmModule, imports: object): Promise<WasmInstance>;
}

/** What is used of WebAssembly, whose types TypeScript has among those of the DOM only. */
export const webAssembly = (globalThis as unknown as { WebAssembly: WebAssembly }).WebAssembly;
