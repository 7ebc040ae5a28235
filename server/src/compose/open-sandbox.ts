/** Composition of the sandbox: what guests run in, what images they have and how they reach the network. */
import type { ServiceConfig } from '../config/service-config.ts';
import { isServiceError, ServiceError } from '../errors/service-error.ts';
import type { EgressMetrics } from '../guest/egress/egress-proxy.ts';
import type { EgressRule } from '../guest/egress/egress-rule.ts';
import type { InstallerEgress, OpenEgress } from '../guest/egress/program-egress.ts';
import type { GuestLanguage } from '../guest/pool/guest-program.ts';
import { requireReadable } from '../guest/sandbox/sandbox-user.ts';
import type { McpTools, Sandboxed } from '../guest/pool/sandboxed-guests.ts';
import type { SourceRun } from '../images/image-source.ts';
import type { Logger } from '../observability/logger.ts';
import { imagesOf, openImageSandbox, usualImages } from './open-image-sandbox.ts';

export interface SandboxDeps {
  /** The folders with the agents' code. */
  sourceFolders: readonly string[];
  /** Those that agents are written in. */
  languages: ReadonlySet<GuestLanguage>;
  instanceId: string;
  logger: Logger;
  metrics: EgressMetrics;
  onProgress(step: string): void;
  signal?: AbortSignal;
}

/**
 * The sandbox with its images, found before anything is promised; nothing for plain processes. Rejects with
 * `config_invalid` when they can't be had.
 */
export async function openSandbox(
  config: ServiceConfig,
  deps: SandboxDeps,
): Promise<Sandboxed | undefined> {
  const { container, userEnvironment } = config.guest;
  await removeLeftovers(container);
  if (container === undefined) return undefined;
  const images = { ...usualImages, ...container.images };
  const { sourceFolders, languages, onProgress, signal = new AbortController().signal } = deps;
  /** What is closed again, the last first, when the rest cannot be had. */
  const opened: (() => Promise<void>)[] = [];
  try {
    const sandbox = await openImageSandbox(config, container, deps);
    opened.push(() => sandbox.close());
    if (sandbox.notice !== undefined) onProgress(sandbox.notice);
    const isPacked = config.guest.images?.image !== undefined;
    if (!isPacked) await requireReadable(sourceFolders);
    for (const language of languages) await sandbox.image(images[language], { onProgress, signal });
    const mcpTools = await mcpToolsOf(config, { onProgress, signal });
    if (mcpTools) opened.push(() => mcpTools.remove());
    const egress = await egressOf(config.guest.network, deps);
    return { sandbox, images, isPacked, userEnvironment, ...egress, ...(mcpTools && { mcpTools }) };
  } catch (error) {
    for (const close of opened.toReversed()) await close();
    if (!isServiceError(error) || error.code !== 'guest_unavailable') throw error;
    // Nothing runs yet: what is wrong is how the service was started.
    throw new ServiceError('config_invalid', error.message, { cause: error });
  }
}

/**
 * What services of this user left that were killed, with whatever sandbox. Not Docker's containers, which whoever has
 * guests in Docker removes: nobody else asks for a daemon.
 */
async function removeLeftovers(container: ServiceConfig['guest']['container']): Promise<void> {
  const { removeAbandonedMcpTools } = await import('./mcp-tools.ts');
  await removeAbandonedMcpTools();
  if (container?.gvisor) return; // it does so itself, with those of its guests
  const { removeAbandonedState } = await import('../guest/sandbox/gvisor/state-folder.ts');
  await removeAbandonedState();
}

/** The ways to the network through the service; none for guests that have the network of this machine. */
async function egressOf(
  { mode, allow }: ServiceConfig['guest']['network'],
  { logger, metrics }: SandboxDeps,
): Promise<{ egress?: OpenEgress; installerEgress?: InstallerEgress }> {
  if (mode === 'host') return {};
  // Loaded only where it is used.
  const { startEgressProxy } = await import('../guest/egress/egress-proxy.ts');
  const { installerRules } = await import('../guest/egress/installer-egress.ts');
  const through =
    (rules: readonly EgressRule[] | undefined): OpenEgress =>
    (socketPath, runsOf) =>
      startEgressProxy({ socketPath, runsOf, logger, metrics, ...(rules && { allow: rules }) });
  const forAgents = mode === 'none' ? [] : allow;
  return {
    ...(mode === 'egress' && { egress: through(allow) }),
    installerEgress: (indexSettings) => through(installerRules(indexSettings, forAgents)),
  };
}

/** Those of `guest.bundle_mcp_tools`. */
async function mcpToolsOf(
  { guest, cacheDir }: ServiceConfig,
  run: SourceRun,
): Promise<McpTools | undefined> {
  const { openMcpTools } = await import('./mcp-tools.ts');
  const reference = guest.images?.mcpToolsImage;
  if (reference === undefined) return undefined;
  return await openMcpTools(await imagesOf(guest.images, cacheDir), reference, run);
}
