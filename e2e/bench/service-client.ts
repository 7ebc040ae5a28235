/** The service that the pages are looked at with, as a program asks it. */
export interface ServiceClient {
  readonly url: string;
  post(route: string, body: unknown): Promise<Record<string, unknown>>;
}

/** A client of a service without authentication. */
export function serviceAt(url: string): ServiceClient {
  return {
    url,
    async post(route, body) {
      const answer = await fetch(url + route, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`POST ${route} answered ${answer.status}: ${text}`);
      return JSON.parse(text) as Record<string, unknown>; // every route that is used answers an object
    },
  };
}
