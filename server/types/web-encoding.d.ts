// What model/, errors/ and workflows/ may use beyond the language: both Node and the workflow sandbox
// have these two. Everything else of Node or the DOM is invisible there on purpose.
declare class TextEncoder {
  encode(input?: string): Uint8Array<ArrayBuffer>;
}
declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  decode(input?: Uint8Array): string;
}
