import { Agent, request, type IncomingMessage } from 'node:http';

/** Milliseconds from the request to the first event (`start` here, `metadata` in LangGraph) and to the first values. */
export interface StreamTimes {
  event: number;
  values: number;
}

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

  /** Opens a stream and reads it to its end. */
  async stream(path: string, body: unknown): Promise<StreamTimes> {
    const begin = performance.now();
    const response = await this.#open('POST', path, body);
    let text = '';
    let event: number | undefined;
    let values: number | undefined;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      text += chunk.toString();
      if (/^event: \w/m.test(text)) event ??= performance.now() - begin;
      if (/^event: values\b/m.test(text)) values ??= performance.now() - begin;
    }
    if (event === undefined || values === undefined) throw new Error(`${path}: ${text}`);
    return { event, values };
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
