import { describe, expect, it } from 'vitest';
import { connectTarget, forwardTarget } from './request-target.ts';

describe('CONNECT', () => {
  it.each([
    ['API.example.com:443', { host: 'api.example.com', port: 443 }],
    ['[::1]:80', { host: '::1', port: 80 }],
    ['[::ffff:7f00:1]:80', { host: '127.0.0.1', port: 80 }],
    ['0x7f.1:80', { host: '127.0.0.1', port: 80 }],
  ])('takes %s', (text, target) => expect(connectTarget(text)).toEqual(target));

  it.each([
    ...['', 'host', 'host:', ':443', 'host:0', 'host:65536', 'host:443 ', 'host:+443', 'host:4e2'],
    ...['user@host:443', 'user:pass@host:443', 'http://host:443', '//host:443', 'host:443/path'],
    ...['host:443?x', 'host:443#x', '[::1]', '::1:443', '[1.2.3.4]:443', '[::1%25eth0]:443'],
    ...[
      'a\\b:443',
      'a%2eb:443',
      'bücher.example:443',
      'a,b:443',
      '[::1:443',
      'host:443:443',
      '*:443',
    ],
  ])('refuses %j', (text) => expect(connectTarget(text)).toBeUndefined());
});

describe('a plain request', () => {
  it.each([
    ['http://a.example', { host: 'a.example', port: 80, path: '/' }],
    ['HTTP://A.example:8080/x?y=//z', { host: 'a.example', port: 8080, path: '/x?y=//z' }],
    ['http://a.example?y', { host: 'a.example', port: 80, path: '/?y' }],
    ['http://[::1]:81/', { host: '::1', port: 81, path: '/' }],
  ])('takes %s', (text, target) => expect(forwardTarget(text)).toEqual(target));

  it.each([
    ...['/', '*', 'a.example/', 'https://a.example/', 'ftp://a.example/', 'http:/a.example/'],
    ...['http:///path', 'http://u@a.example/', 'http://u:p@a.example/', 'http://a.example/#x'],
    ...['http://a.example\\@b/', 'http://a.example:99999/', 'http://a.example/a b', 'http://a b/'],
    ...['http://a.example/ü', 'http://a.example:/x', ' http://a.example/', 'http://@a.example/'],
  ])('refuses %j', (text) => expect(forwardTarget(text)).toBeUndefined());
});
