/** As much of jsdom as the tests use: it comes without types. */
declare module 'jsdom' {
  export class JSDOM {
    constructor(html: string, options: { url: string });
    readonly window: Record<string, unknown> & { close(): void };
  }
}
