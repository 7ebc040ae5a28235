export interface Header {
  name: string;
  value: Uint8Array;
}

/** What the host sends of a request before its body. */
export interface RequestHead {
  method: string;
  /** As the client has written it. */
  rawPath: Uint8Array;
  query: string;
  headers: Header[];
}

/**
 * What a Request is made of, by the path as it came: a decoded one would be read as another path (`a%2F..%2Fb`), and
 * `auth` would decide about that.
 */
export function readHead({ rawPath, query, headers }: RequestHead): {
  target: string;
  headers: Headers;
} {
  const made = new Headers();
  for (const { name, value } of headers) made.append(name, Buffer.from(value).toString('latin1'));
  const path = Buffer.from(rawPath).toString('latin1');
  return { target: query === '' ? path : `${path}?${query}`, headers: made };
}
