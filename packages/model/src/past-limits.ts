/** Limits of looking back; part of `limits`. */
export const pastLimits = {
  /** The time budget of a question about the past; what it has read is cached for the next. */
  pastBudgetMs: 2000,
  /** How much longer the thread that reads the past may take before it is ended. */
  pastGraceMs: 2000,
  /** How long that thread may take to start. */
  pastStartMs: 20_000,
  /** The thread is ended after this time without a question. */
  pastIdleMs: 60_000,
  pastHeapMb: 512,
  /** On a small machine the thread's heap is this fraction of the memory, but at least enough to work. */
  pastHeapParts: 8,
  pastHeapLeastMb: 96,
  /** How many states of the home the thread holds. */
  pastsHeld: 2,
  /** How many questions may wait for it. */
  pastQuestions: 8,
  /** The time budget for finding an object's last change. */
  undoBudgetMs: 10_000,
  /** The span that is read first when the log is read backwards. */
  pastSpanMs: 3_600_000,
  /** Entries on a page of the audit. */
  auditEntries: 1000,
  auditDefault: 100,
  /** Slices in which a timeline counts. */
  timelineCounts: 300,

  // the history index
  /** The index's share of the log's quota; a machine with less memory than this has no index. */
  historyPercent: 20,
  historyMemoryBytes: 943_718_400,
  /**
   * Samples of one chunk, which with its columns fills a page; values that a chunk names; characters of one
   * as JSON.
   */
  historyChunkSamples: 224,
  historyDictionaryChars: 2048,
  historyValueChars: 256,
  /** Samples of one transaction. */
  historyBatchSamples: 100_000,
  /** The log is indexed when this many events are new, or when any are and this time has passed. */
  historyEvents: 20_000,
  historyWaitMs: 3_600_000,
  historyCheckMs: 60_000,
  /** The heap of the indexing process, and how often it may fail in a row before the hub gives it up. */
  historyHeapMb: 256,
  historyFailures: 3,
  /** Points of an answer. */
  historyPoints: 5000,
  historyPointsUsual: 300,
  /** What one question may sum up: series, and spans for each; quarters of an hour where prices count. */
  historySeries: 32,
  historySpans: 800,
  historyQuarters: 9000,
  /** The default span of an answer (ms). */
  historySpanUsualMs: 86_400_000,
  /** Values that one point of an answer distinguishes. */
  historyPointValues: 16,
} as const;
