/** Limits of looking back; part of `limits`. */
export const pastLimits = {
  /** What a question about the past may take; what it has read by then is kept for the next. */
  pastBudgetMs: 2000,
  /** How much longer the thread that reads the past may take before it is ended. */
  pastGraceMs: 2000,
  /** How long that thread may take to begin. */
  pastStartMs: 20_000,
  /** Without a question for so long it is ended. */
  pastIdleMs: 60_000,
  pastHeapMb: 512,
  /** On a small machine it is one of so many parts of its memory, and no less than can answer at all. */
  pastHeapParts: 8,
  pastHeapLeastMb: 96,
  /** States of the home at different times that the thread holds. */
  pastsHeld: 2,
  /** Questions that wait for it. */
  pastQuestions: 8,
  /** What looking for an object's last change may take. */
  undoBudgetMs: 10_000,
  /** What is read first of a log that is read backwards. */
  pastSpanMs: 3_600_000,
  /** Entries of a page of the audit. */
  auditEntries: 1000,
  auditDefault: 100,

  // the history index
  /** How much of the log's quota is the index's; and less memory than this many bytes of a machine have none. */
  historyPercent: 20,
  historyMemoryBytes: 943_718_400,
  /** Samples of one chunk: with its columns it fills a page. Values that it names, and one of them, as JSON. */
  historyChunkSamples: 224,
  historyDictionaryChars: 2048,
  historyValueChars: 256,
  /** Samples of one transaction. */
  historyBatchSamples: 100_000,
  /** The log is indexed when so many events are new, or when any are and it was not for so long. */
  historyEvents: 20_000,
  historyWaitMs: 3_600_000,
  historyCheckMs: 60_000,
  /** Heap of the process that indexes, and how often it may fail in a row before the hub does without. */
  historyHeapMb: 256,
  historyFailures: 3,
  /** Points of an answer. */
  historyPoints: 5000,
  historyPointsUsual: 300,
  /** How long a time it is about, unless somebody says (ms). */
  historySpanUsualMs: 86_400_000,
  /** Values that one point of an answer tells apart. */
  historyPointValues: 16,
} as const;
