/** Limits of registers, their replication and the bus; part of `limits`. */
export const fleetLimits = {
  /** Devices on a page of a register: by default, and the most. */
  pageSize: 50,
  pageSizeMost: 2000,
  /** Characters of a list's cursor. */
  listCursorChars: 2048,
  searchMinChars: 3,
  searchMaxChars: 100,
  /** Values of one repeatable filter, and characters of one. */
  filterValues: 50,
  filterChars: 320,
  /** Characters of a value by which a list is ordered; the rest of a longer one does not count. */
  orderChars: 128,
  /** Rows that a scan reads before it yields to other work. */
  scanSliceRows: 500,
  /** Rows that writes of different sources may store in one transaction. */
  transactionRows: 2000,
  /**
   * Rows of one source in all registers, and their bytes, 1 KiB for each: what is beyond is left out. A hub may
   * belong to anybody, and a row may have the bytes of a whole line.
   */
  sourceRows: 250_000,
  sourceBytes: 268_435_456,
  /** Messages for one subscriber of the bus that wait while it handles another; the oldest drops. */
  busWaiting: 100_000,
  /** How long a request over the bus waits for its answer. */
  busAnswerMs: 10_000,
  /** How long a bus between processes may take to connect, when it tries again, and how often it asks whether its broker is there. */
  busConnectMs: 5000,
  busReconnectMs: 1000,
  busPingMs: 5000,
  /** Connections of a process to its database, and how long one may take to open. */
  databaseConnections: 10,
  databaseConnectMs: 5000,
  /** How long a statement may take; how often a transaction is tried that others were in the way of. */
  databaseStatementMs: 30_000,
  databaseTries: 10,
  /** How long a statement waits for its answer, where the database cannot say that it is cut off. */
  databaseAnswerMs: 35_000,
  /** Blocks of the log that are read from the database at once, and when a write is tried again that it did not take. */
  logSliceBlocks: 500,
  logRetryMs: 500,
  /** How long the lease of the writer holds, when it is renewed, and when one who waits for it tries again. */
  writerLeaseMs: 10_000,
  writerRenewMs: 3000,
  writerRetryMs: 500,
  /**
   * When a process tells the others what its callers have used of their limits: soon, or very soon where one has used this
   * portion of a limit since; and callers that one message names.
   */
  rateTellMs: 250,
  rateTellSoonMs: 10,
  rateParts: 16,
  rateCallers: 1000,
  /** Recorded commands that a process remembers, and for how long a push belongs to one. */
  tracedWrites: 10_000,
  tracedWriteMs: 5000,
  /** How long the lease of a process that lives holds, and when it is renewed. */
  nodeLeaseMs: 6000,
  nodeRenewMs: 2000,
  /** How often a process that follows the log reads it without being told, and how long a read may wait for that. */
  followMs: 1000,
  freshMs: 2000,
  /** How long a process that follows may get no answer of the database until it says so and takes no more changes. */
  followSilenceMs: 10_000,
  /** How long a change waits for a process that writes, and then for its answer. */
  writerAbsentMs: 12_000,
  peerSubmitMs: 120_000,
  /** How long a process that ends still answers the others that it does not write any more. */
  peerLeaveMs: 500,
  /** Connections between two processes of a cloud, and the head of a request that goes there. */
  peerSockets: 1024,
  peerHeaderBytes: 65_536,
  /**
   * How long a process holds the question of another one what has changed, how many changes one answer has, and when that
   * one asks again after a failure.
   */
  peerNewsMs: 10_000,
  peerNewsChanges: 2000,
  peerRetryMs: 500,
  /** Sessions of fetches that a process hands over to their new homes at the same time. */
  sessionsMovedAtOnce: 16,
  /** How often outboxes are read that another process fills, without being told. */
  egressElsewhereMs: 10_000,
} as const;
