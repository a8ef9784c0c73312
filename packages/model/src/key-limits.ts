/** Limits of the keys that a hub makes itself, and of getting one; part of `limits`. */
export const keyLimits = {
  /** How long such a key is valid, and how much must be left for a renewal to be too early. */
  localKeyMs: 7_776_000_000,
  localKeyRenewMs: 2_592_000_000,
  localKeysPerUser: 32,
  localKeys: 500,
  /** How long a browser waits to be let in, and how often it should ask (s). */
  localLoginMs: 600_000,
  localLoginPollS: 3,
  /** Wrong codes of one user within `localLoginMs`. */
  localLoginTries: 5,
  /** What one address may begin in a minute, and how many may wait: of one address, and of all. */
  localLoginsPerMinutePerAddress: 5,
  localLoginsPerAddress: 5,
  localLogins: 64,
  /** Wrong setup codes of all addresses together, until the hub has to show another one. */
  setupTries: 1000,
} as const;
