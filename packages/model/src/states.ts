import type { ActivatorState } from "./activator.ts";
import type { AdapterState } from "./adapter.ts";
import type { Alert } from "./alert.ts";
import type { Alarm } from "./alarm.ts";
import type { AutoConfig } from "./autoconfig.ts";
import type { BacnetSettings } from "./bacnet.ts";
import type { Binding } from "./binding.ts";
import type { PendingCommand } from "./command.ts";
import type { Configuration } from "./configuration.ts";
import type { Device } from "./device.ts";
import type { Group } from "./group.ts";
import type { Hub } from "./hub.ts";
import type { Room } from "./room.ts";
import type { RuleState } from "./rule.ts";
import type { Scan } from "./scan.ts";
import type { SceneState } from "./scene.ts";
import type { Seen } from "./seen.ts";
import type { Timer } from "./timer.ts";
import type { Upgrade } from "./upgrade.ts";
import type { HubUser } from "./user.ts";
import type { Zone } from "./zone.ts";

/** The state of every kind of aggregate. */
export interface States {
  device: Device;
  group: Group;
  scene: SceneState;
  rule: RuleState;
  user: HubUser;
  alert: Alert;
  room: Room;
  zone: Zone;
  activator: ActivatorState;
  hub: Hub;
  binding: Binding;
  command: PendingCommand;
  adapter: AdapterState;
  seen: Seen;
  timer: Timer;
  alarm: Alarm;
  scan: Scan;
  bacnet: BacnetSettings;
  configuration: Configuration;
  upgrade: Upgrade;
  autoconfig: AutoConfig;
}
