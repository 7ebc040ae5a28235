import { describe, expect, it } from 'vitest';

import { notPulled, refused, unreachable } from './docker-trouble.ts';

const socket = '/var/run/docker.sock';
const failure = (code: string) => Object.assign(new Error(`connect ${code}`), { code });
const answer = (message: string) =>
  Object.assign(new Error(`(HTTP code 500) ${message}`), { statusCode: 500, json: { message } });

describe('messages for users', () => {
  it.each([
    ['there is none', unreachable(socket, failure('ENOENT')), /^There is no Docker daemon at/],
    ['it is stopped', unreachable(socket, failure('ECONNREFUSED')), /start it or install Docker/],
    ['the socket is not theirs', unreachable(socket, failure('EACCES')), /usermod -aG docker/],
    ['it hangs', unreachable(socket, new Error('no answer within 10 s')), /no answer within/],
    [
      'its disk is full',
      refused('No start', answer('mkdir /var/lib/docker/x: no space left on device')),
      /^No start: the disk of the Docker daemon is full \(docker system df\)\.$/,
    ],
    [
      'the image has no Python',
      refused('No start', answer('exec: "python3": executable file not found in $PATH: unknown')),
      /^No start: its image has no python3 on its PATH\.$/,
    ],
    [
      'it is in another file system',
      refused('No start', answer('bind source path does not exist: /home/ada/agents')),
      /^No start: the Docker daemon does not see the folders of this service/,
    ],
    [
      'the image is gone',
      refused('No start', answer('No such image: py:1')),
      /^No start: the Docker daemon has no image py:1; restart the service\.$/,
    ],
    [
      'it may not mount it',
      refused('No start', answer('error mounting "/home/ada/agents" to rootfs at "/agent"')),
      /^No start: the Docker daemon could not mount the folders of this service; /,
    ],
    [
      'it is gone',
      refused('No start', Object.assign(failure('ENOENT'), { address: '/home/ada/docker.sock' })),
      /^No start: the Docker daemon does not respond; start it again\.$/,
    ],
    [
      'it cannot limit',
      refused('No start', answer('Range of CPUs is from 0.01 to 2.00, as there are only 2 CPUs')),
      /^No start: the Docker daemon cannot set the limits of guests \(guest\.cpu_limit/,
    ],
    [
      'it reports an unknown error',
      refused('No start', answer('open /home/ada/x: stale NFS file handle')),
      /^No start: the Docker daemon refused it, and its own words are in the service's log/,
    ],
    [
      'it may not open so many files itself',
      refused('No start', answer('error setting rlimit type 7: operation not permitted')),
      /guest\.open_files_limit is more than the Docker daemon may have/,
    ],
  ])('when %s', (_, error, sentence) => {
    expect(error).toMatchObject({ code: 'guest_unavailable' });
    expect(error.message).toMatch(sentence);
    expect(error.message).not.toContain('/home/ada');
  });
});

describe('why an image cannot be pulled', () => {
  it.each([
    ['manifest for py:1 not found: manifest unknown', /the registry has no such image; make it/],
    ['pull access denied for py, repository does not exist', /or the registry wants other cred/],
    ['Get "https://r/v2/": x509: certificate signed by unknown authority', /not trusted/],
    ['Get "https://r/v2/": dial tcp 127.0.0.1:1: connect: connection refused', /be reached; /],
    ['toomanyrequests: You have reached your pull rate limit', /no more requests for now/],
    ['no matching manifest for linux/arm64 in the manifest list', /for other platforms only/],
    ['write /var/lib/docker/tmp/x: no space left on device', /^The image py:1 .*is full/],
    ['write /home/ada/x: input/output error', /its own words are in the service's log/],
  ])('%s', (words, sentence) => {
    const error = notPulled('py:1', answer(words));
    expect(error.message).toMatch(sentence);
    expect(error.message).not.toMatch(/home|var/);
    expect(error).toMatchObject({ cause: { json: { message: words } } });
  });
});
