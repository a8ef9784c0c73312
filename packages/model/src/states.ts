import type { AdapterState } from "./adapter.ts";
import type { Alarm } from "./alarm.ts";
import type { Binding } from "./binding.ts";
import type { PendingCommand } from "./command.ts";
import type { Device } from "./device.ts";
import type { Group } from "./group.ts";
import type { Hub } from "./hub.ts";
import type { Room } from "./room.ts";
import type { Seen } from "./seen.ts";
import type { Timer } from "./timer.ts";
import type { HubUser } from "./user.ts";

/** The state of every kind of aggregate. */
export interface States {
  device: Device;
  group: Group;
  user: HubUser;
  room: Room;
  hub: Hub;
  binding: Binding;
  command: PendingCommand;
  adapter: AdapterState;
  seen: Seen;
  timer: Timer;
  alarm: Alarm;
}
