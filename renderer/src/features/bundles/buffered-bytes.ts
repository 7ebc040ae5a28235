/** The limit of unpacked bytes in memory: above it the page shows an overview alone, and the service checks the checksum. */
const maxBufferedBytes = 256 * 1024 * 1024;

/** The bytes of a file for its checksum, up to a limit. */
export class BufferedBytes {
  #parts: Uint8Array<ArrayBuffer>[] = [];
  #size = 0;

  /** True once the limit was exceeded. */
  isFull = false;

  /** Passes chunks on, and keeps them. */
  async *keep(
    chunks: AsyncIterable<Uint8Array<ArrayBuffer>>,
  ): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    for await (const chunk of chunks) {
      this.#size += chunk.length;
      if (this.#size > maxBufferedBytes) {
        this.isFull = true;
        this.#parts = [];
      } else this.#parts.push(chunk);
      yield chunk;
    }
  }

  /** SHA-256 of the first bytes; undefined when they were not kept, or where the page cannot compute it (plain http). */
  async sha256(length: number): Promise<string | undefined> {
    // Typed as always defined; it exists in secure contexts only.
    const { subtle } = crypto as { subtle?: typeof crypto.subtle };
    if (this.isFull || subtle === undefined) return undefined;
    const whole = new Uint8Array(await new Blob(this.#parts).slice(0, length).arrayBuffer());
    const digest = new Uint8Array(await subtle.digest('SHA-256', whole));
    return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
  }
}
