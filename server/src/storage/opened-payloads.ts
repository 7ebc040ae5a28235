/** Maximum bytes of all cached payloads … */
const MAX_BYTES = 32 * 1_024 * 1_024;
/** … and of one of them. */
const MAX_ENTRY_BYTES = 8 * 1_024 * 1_024;

/** A cache of the payloads that were opened last, already checked, by thread and hash. */
export class OpenedPayloads {
  readonly #entries = new Map<string, Uint8Array>();
  #bytes = 0;

  find(threadId: string, hash: string): Uint8Array | undefined {
    const key = `${threadId}/${hash}`;
    const bytes = this.#entries.get(key);
    if (bytes) {
      this.#entries.delete(key);
      this.#entries.set(key, bytes);
    }
    return bytes;
  }

  remember(threadId: string, hash: string, bytes: Uint8Array): void {
    if (bytes.byteLength > MAX_ENTRY_BYTES || this.find(threadId, hash)) return;
    this.#entries.set(`${threadId}/${hash}`, bytes);
    this.#bytes += bytes.byteLength;
    for (const [oldest, { byteLength }] of this.#entries) {
      if (this.#bytes <= MAX_BYTES) break;
      this.#entries.delete(oldest);
      this.#bytes -= byteLength;
    }
  }
}
