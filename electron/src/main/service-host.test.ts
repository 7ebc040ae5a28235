import { describe, expect, it } from 'vitest';
import { findService } from './service-host.ts';

describe('the service of the desktop', () => {
  it('is the one on the default port when nothing else is named', () => {
    expect(findService('').url.href).toBe('http://127.0.0.1:8090/');
  });

  it('may be on another port of this machine', () => {
    expect(findService('http://localhost:9000').url.href).toBe('http://localhost:9000/');
  });

  it.each(['http://example.org', 'https://127.0.0.1:8090', 'file:///etc/passwd'])(
    'is never %s',
    (address) => {
      expect(() => findService(address)).toThrow('must be an http address of this machine');
    },
  );
});
