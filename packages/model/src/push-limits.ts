/** Limits of the pushes of the platform API; part of `limits`. */
export const pushLimits = {
  /** A fetching session's id (platform-api 2.2). */
  sessionIdChars: 128,
  /** How long a fetch may wait for pushes (platform-api 8). */
  fetchWaitMinS: 1,
  fetchWaitMaxS: 55,
  fetchWaitUsualS: 25,
  /** How long a session that does not fetch keeps what it has subscribed to: longer than the longest wait. */
  pushIdleGraceMs: 75_000,
  /** How far apart two fetches of a session may be so that the second one knows what changed in between. */
  pushTurnAroundMs: 3000,
  /** How often the sessions of connections are checked: a connection may outlive its token by that. */
  pushSessionCheckMs: 4000,
  /** After how much silence a reader gets a heartbeat. */
  pushHeartbeatMs: 10_000,
  /** How many things a user may watch, with how many streams and fetches at once, from how many sessions. */
  watchedPerUser: 200,
  readersPerUser: 20,
  pushSessionsPerUser: 100,
  /** How many snapshots a user may ask for in a minute, and for how many users that is counted. */
  snapshotsPerMinute: 30,
  snapshotUsers: 100_000,
  /** How many pushes of a snapshot are made at once, and how many pushes one turn of a reader may hold. */
  snapshotSlice: 500,
  pushesAtOnce: 500,
  /** Device events: ids in one message, devices of one connection, and events that wait for one stream. */
  deviceEventsIds: 1000,
  deviceEventsDevices: 10_000,
  deviceEventsWaiting: 1000,
} as const;
