/** Composition of the sandbox: the sandbox of guests, their images and their access to the network. */
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
  /** The folders of the agents' code. */
  sourceFolders: readonly string[];
  /** The languages of the agents. */
  languages: ReadonlySet<GuestLanguage>;
  instanceId: string;
  logger: Logger;
  metrics: EgressMetrics;
  onProgress(step: string): void;
  signal?: AbortSignal;
}

/**
 * Opens the sandbox and fetches its images; undefined for plain processes. Rejects with `config_invalid` when they are
 * unavailable.
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
  /** Steps that close open parts, in reverse order, when a later part fails. */
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
    // Nothing runs yet: a failure means that the configuration is wrong.
    throw new ServiceError('config_invalid', error.message, { cause: error });
  }
}

/**
 * Removes what killed services of this user left, from any sandbox. Docker's containers are removed only by services
 * with guests in Docker, since others do not need a daemon.
 */
async function removeLeftovers(container: ServiceConfig['guest']['container']): Promise<void> {
  const { removeAbandonedMcpTools } = await import('./mcp-tools.ts');
  await removeAbandonedMcpTools();
  const { removeAbandonedArchives } = await import('../images/image-source.ts');
  await removeAbandonedArchives();
  if (container?.gvisor) return; // gVisor removes it together with its abandoned guests
  const { removeAbandonedState } = await import('../guest/sandbox/gvisor/state-folder.ts');
  await removeAbandonedState();
}

/** The network access through the service; none for guests with the network of this machine. */
async function egressOf(
  { mode, allow }: ServiceConfig['guest']['network'],
  { logger, metrics }: SandboxDeps,
): Promise<{ egress?: OpenEgress; installerEgress?: InstallerEgress }> {
  if (mode === 'host') return {};
  // Loaded on use only.
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

/** The programs of `guest.bundle_mcp_tools`. */
async function mcpToolsOf(
  { guest, cacheDir }: ServiceConfig,
  run: SourceRun,
): Promise<McpTools | undefined> {
  const { openMcpTools } = await import('./mcp-tools.ts');
  const reference = guest.images?.mcpToolsImage;
  if (reference === undefined) return undefined;
  return await openMcpTools(await imagesOf(guest.images, cacheDir), reference, run);
}
