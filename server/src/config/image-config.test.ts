import { rmSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAuthority } from '../../test/fixtures/authority.ts';
import { imageConfig, imageWarnings, type ImageConfig } from './image-config.ts';
import { resolveSettings } from './resolve-settings.ts';

let folder: string;
let pem: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'image-config-'));
  const authority = await createAuthority('Registry');
  pem = authority.cert;
  writeFileSync(join(folder, 'ca.pem'), `# Ours\n${pem}`);
  writeFileSync(join(folder, 'text.pem'), 'no certificate');
  authority.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const base64 = (text: string): string => Buffer.from(text).toString('base64');

function images(
  flags: Record<string, unknown>,
  environment: Record<string, string> = {},
): ImageConfig | undefined {
  const { values, given } = resolveSettings({
    flags: new Map(Object.entries(flags)),
    environment,
    workingDir: folder,
  });
  return imageConfig(values, given);
}

it('has nothing about images for plain processes', () => {
  const flags = { 'guest.sandbox': 'none', 'guest.bundle_mcp_tools': 'false' };
  expect(images(flags)).toBeUndefined();
});

it('takes the published images and the authorities of this machine by default', () => {
  expect(images({})).toEqual({ registry: { isInsecure: false } });
});

it('takes what is given', () => {
  const flags = {
    'guest.sandbox': 'gvisor',
    'guest.base_image': 'base:1',
    'guest.mcp_tools_image': 'tools:1',
    'guest.bundle_mcp_tools': true,
    'guest.registry.ca_file': 'ca.pem',
  };
  expect(images(flags)).toEqual({
    baseImage: 'base:1',
    mcpToolsImage: 'tools:1',
    registry: { caFile: join(folder, 'ca.pem'), isInsecure: false },
  });
  expect(images({ 'guest.image': 'agents:1', 'guest.registry.ca_data': base64(pem) })).toEqual({
    image: 'agents:1',
    registry: { caData: base64(pem), isInsecure: false },
  });
});

it('warns of tools that are not asked for', () => {
  const warnings = (flags: Record<string, unknown>): string[] => {
    const sources = { flags: new Map(Object.entries(flags)), environment: {}, workingDir: folder };
    const { values, given } = resolveSettings(sources);
    return imageWarnings(values, given);
  };
  const tools = { 'guest.mcp_tools_image': 'tools:1' };
  expect(warnings(tools)).toEqual(['--mcp-tools-image has no effect without --bundle-mcp-tools.']);
  expect(warnings({ ...tools, 'guest.bundle_mcp_tools': true })).toEqual([]);
});

it('checks no certificate when both the flag and the environment switch it off', () => {
  const allowed = { SERVICE_TLS_ALLOW_INSECURE: 'true' };
  expect(images({ 'guest.registry.insecure': true }, allowed)).toEqual({
    registry: { isInsecure: true },
  });
});

it.each<[string, Record<string, unknown>, RegExp]>([
  ['an image', { 'guest.image': 'a' }, /^--image needs the sandbox docker or gvisor\.$/],
  ['a base', { 'guest.base_image': 'a' }, /^--guest-image needs/],
  ['tools', { 'guest.mcp_tools_image': 'a' }, /^--mcp-tools-image needs/],
  ['the bundling of tools', { 'guest.bundle_mcp_tools': true }, /^--bundle-mcp-tools needs/],
  ['a file of a CA', { 'guest.registry.ca_file': 'ca.pem' }, /^--registry-ca-file needs/],
  ['data of a CA', { 'guest.registry.ca_data': 'x' }, /^--registry-ca-data needs/],
  ['no checks', { 'guest.registry.insecure': true }, /^--registry-insecure needs/],
])('refuses %s for plain processes', (_, flags, sentence) => {
  expect(() => images({ 'guest.sandbox': 'none', ...flags })).toThrow(sentence);
});

it.each<[string, Record<string, unknown>, RegExp]>([
  [
    'no checks that the environment does not allow',
    { 'guest.registry.insecure': true },
    /^--registry-insecure .* only with SERVICE_TLS_ALLOW_INSECURE=true\.$/,
  ],
  [
    'bundling of no image',
    { 'guest.bundle_mcp_tools': true },
    /^--bundle-mcp-tools needs --mcp-tools-image/,
  ],
  [
    'a base below a pre-built image',
    { 'guest.image': 'a', 'guest.base_image': 'b' },
    /^--image and --guest-image exclude each other/,
  ],
  [
    'two CAs',
    { 'guest.registry.ca_file': 'ca.pem', 'guest.registry.ca_data': 'x' },
    /^--registry-ca-file and --registry-ca-data exclude each other\.$/,
  ],
  [
    'a CA that does not exist',
    { 'guest.registry.ca_file': 'none.pem' },
    /^--registry-ca-file names a file that cannot be read: .*none\.pem$/,
  ],
  [
    'a file without a certificate',
    { 'guest.registry.ca_file': 'text.pem' },
    /^--registry-ca-file holds no PEM certificate\.$/,
  ],
  [
    'data that is no certificate',
    { 'guest.registry.ca_data': base64('text') },
    /^--registry-ca-data holds no PEM certificate as base64\.$/,
  ],
])('refuses %s', (_, flags, sentence) => {
  expect(() => images(flags)).toThrow(sentence);
});
