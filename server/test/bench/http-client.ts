import { Agent, request, type IncomingMessage } from 'node:http';

/** A client that costs little, because it shares the machine with what it measures. */
export class BenchClient {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });
  readonly #url: string;
  readonly #headers: Record<string, string>;

  constructor(url: string, headers: Record<string, string> = {}) {
    this.#url = url;
    this.#headers = { 'content-type': 'application/json', ...headers };
  }

  /** Sends JSON and resolves with the body's text; rejects for any status but 2xx. */
  async send(method: string, path: string, body?: unknown): Promise<string> {
    const response = await this.#open(method, path, body);
    const chunks: Buffer[] = [];
    for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const status = response.statusCode ?? 0;
    if (status < 200 || status > 299) throw new Error(`${method} ${path}: ${status} ${text}`);
    return text;
  }

  /** Opens a stream; returns the milliseconds until the first event that is not `start`, after reading it to its end. */
  async firstEvent(path: string, body: unknown): Promise<number> {
    const begin = performance.now();
    const response = await this.#open('POST', path, body);
    let first: number | undefined;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      const hasEvent = /^event: (?!start)/m.test(chunk.toString());
      if (hasEvent) first ??= performance.now() - begin;
    }
    if (first === undefined) throw new Error(`${path}: no event came`);
    return first;
  }

  close(): void {
    this.#agent.destroy();
  }

  #open(method: string, path: string, body: unknown): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const options = { method, agent: this.#agent, headers: this.#headers };
      const call = request(this.#url + path, options, resolve);
      call.on('error', reject);
      call.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
}
