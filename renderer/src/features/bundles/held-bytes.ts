/** What a page holds of a file at once, unpacked: above that it shows an overview alone, and leaves the checksum to the service. */
const maxHeldBytes = 256 * 1024 * 1024;

/** The bytes of a file for its checksum, as long as there are not too many of them. */
export class HeldBytes {
  #parts: Uint8Array<ArrayBuffer>[] = [];
  #size = 0;

  /** True once there were too many. */
  isFull = false;

  /** Passes chunks on, and keeps them. */
  async *keep(
    chunks: AsyncIterable<Uint8Array<ArrayBuffer>>,
  ): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    for await (const chunk of chunks) {
      this.#size += chunk.length;
      if (this.#size > maxHeldBytes) {
        this.isFull = true;
        this.#parts = [];
      } else this.#parts.push(chunk);
      yield chunk;
    }
  }

  /** SHA-256 of the first bytes; undefined when they are not there, or where the page may not make one (plain http). */
  async sha256(length: number): Promise<string | undefined> {
    // Typed as if it were always there; it is in secure contexts only.
    const { subtle } = crypto as { subtle?: typeof crypto.subtle };
    if (this.isFull || subtle === undefined) return undefined;
    const whole = new Uint8Array(await new Blob(this.#parts).slice(0, length).arrayBuffer());
    const digest = new Uint8Array(await subtle.digest('SHA-256', whole));
    return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
  }
}
