/**
 * The state of every kind of aggregate, by kind. Each aggregate adds its own (`declare module
 * "./states.ts"`), so this file depends on none of them, and all of them can read each other's states.
 */
export interface States {}
