/** Values of Temporal's dynamic configuration; booleans must be booleans, or the server ignores them. */
export type DynamicConfig = Readonly<Record<string, boolean | number | string>>;

/**
 * What the embedded engine has built in and the official CLI must be told
 * (server/native/engine/internal/server/dynamic_config.go has the reasons; a test compares the two).
 */
export const dynamicDefaults: DynamicConfig = {
  'system.enableActivityEagerExecution': true,
  'frontend.enableServerVersionCheck': false,
  'matching.numTaskqueueReadPartitions': 1,
  'matching.numTaskqueueWritePartitions': 1,
  'history.MaxBufferedQueryCount': 128,
  'history.maxInFlightUpdates': 50,
  'history.maxTotalUpdates': 0,
  'frontend.namespaceRPS.visibility': 1000,
  'history.transferProcessorEnsureCloseBeforeDelete': false,
  'history.transferProcessorMaxPollRPS': 2000,
  'history.timerProcessorMaxPollRPS': 2000,
  'history.hostLevelCacheMaxSize': 1000,
  'history.eventsHostLevelCacheMaxSizeBytes': 16_777_216,
  'frontend.rps': 20_000,
  'frontend.namespaceRPS': 20_000,
  'history.rps': 20_000,
  'matching.rps': 20_000,
  'frontend.persistenceMaxQPS': 10_000,
  'history.persistenceMaxQPS': 45_000,
  'matching.persistenceMaxQPS': 20_000,
};
