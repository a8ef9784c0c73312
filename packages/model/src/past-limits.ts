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
  /** Questions that wait for it. */
  pastQuestions: 8,
  /** What looking for an object's last change may take. */
  undoBudgetMs: 10_000,
  /** Entries of a page of the audit. */
  auditEntries: 1000,
  auditDefault: 100,
} as const;
