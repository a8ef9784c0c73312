import Type from 'typebox';
import type { Decider } from './decider.ts';
import type { EventOf } from './event.ts';
import { defineEvent } from './event.ts';

/** When devices were last heard of, as last written down: device id -> ms since the epoch. One instance. */
export interface Seen {
  readonly at: Readonly<Record<string, number>>;
}

/** The one instance's id. */
export const seenId = 'devices';

export type SeenCommand = { type: 'NOTE_SEEN'; at: Record<string, number> };

const DevicesSeen = defineEvent('DevicesSeen', 1, { at: Type.Record(Type.String(), Type.Integer()) });

export type SeenEvent = EventOf<typeof DevicesSeen>;

/** A report that changes nothing is no event; now and then one event notes for all devices that they live. */
export const seen: Decider<Seen, SeenCommand, SeenEvent> = {
  kind: 'seen',
  commands: ['NOTE_SEEN'],
  events: [DevicesSeen],
  target: () => seenId,
  decide: (command) =>
    Object.keys(command.at).length === 0
      ? []
      : [{ type: 'DevicesSeen', id: seenId, at: command.at } satisfies SeenEvent],
  evolve: (state, event) => ({ at: { ...state?.at, ...event.at } }),
};
