import { describe, expect, it } from 'vitest';

import { refused, unreachable } from './docker-trouble.ts';

const socket = '/var/run/docker.sock';
const failure = (code: string) => Object.assign(new Error(`connect ${code}`), { code });
const answer = (message: string) =>
  Object.assign(new Error(`(HTTP code 500) ${message}`), { statusCode: 500, json: { message } });

describe('what a person is told', () => {
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
