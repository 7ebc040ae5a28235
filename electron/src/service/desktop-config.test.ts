import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../ipc/desktop-settings.ts';
import { desktopFlags } from './desktop-config.ts';

const request = {
  folder: '/home/me/my agents',
  dataRoot: '/profile/agents',
  serverEntry: '/server.js',
  token: 'token',
  settings: defaultSettings,
  isInstalling: false,
};
const communityKey = (): string => 'community';

describe('the configuration of the desktop', () => {
  it('is loopback, plain processes, a token, test mode, much history and storage in the profile', () => {
    const flags = Object.fromEntries(desktopFlags(request, { environment: {}, communityKey }));
    expect(flags).toEqual({
      data_dir: expect.stringMatching(/^\/profile\/agents\/my_agents-[\da-f]{12}$/),
      'api.listen_addr': '127.0.0.1:0',
      'api.service_token': 'token',
      'api.auth.test_mode': 'true',
      'guest.sandbox': 'none',
      'guest.reload': 'true',
      'log.level': 'info',
      'log.format': 'json',
      'engine.max_checkpoint_history': '50',
      'engine.external_storage.type': 'directory',
      'license.key': 'community',
    });
  });

  it('follows the settings, and keeps a licence of the environment', () => {
    const settings = {
      ...defaultSettings,
      port: 8123,
      externalStorage: false,
      store: true,
      environmentFiles: ['/a.env', '/b.env'],
      interpreter: '/usr/bin/python3',
    };
    const environment = { SERVICE_LICENSE_KEY: 'own' };
    const flags = desktopFlags(
      { ...request, settings, engine: '/engine' },
      { environment, communityKey },
    );
    expect(Object.fromEntries(flags)).toMatchObject({
      'api.listen_addr': '127.0.0.1:8123',
      'store.provider': 'sqlite',
      'guest.environment_files': '/a.env,/b.env',
      'guest.interpreter': '/usr/bin/python3',
      'engine.binary': '/engine',
    });
    const sandboxed = { ...settings, sandbox: 'docker' } as const;
    const inside = desktopFlags({ ...request, settings: sandboxed }, { environment, communityKey });
    expect([inside.get('guest.sandbox'), inside.has('guest.interpreter')]).toEqual([
      'docker',
      false,
    ]);
    expect([flags.has('license.key'), flags.has('engine.external_storage.type')]).toEqual([
      false,
      false,
    ]);
  });
});
