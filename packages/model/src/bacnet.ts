import Type from "typebox";
import type { Decider } from "./decider.ts";
import { reject } from "./decider.ts";
import type { EventOf } from "./event.ts";
import { defineEvent } from "./event.ts";
import { limits } from "./limits.ts";
import { unchangedIfNull } from "./schema.ts";

/** BACNET_SETTINGS (hub-api 2.10): the hub's own BACnet server. */
export interface BacnetSettings {
  readonly type: "BACNET_SETTINGS";
  readonly bacnetEnabled: boolean;
  /** The instance number of its device object. */
  readonly deviceId: number;
  readonly deviceName: string;
  /** The UDP port. */
  readonly port: number;
  readonly broadcast: boolean;
}

declare module "./states.ts" {
  interface States {
    bacnet: BacnetSettings;
  }
}

/** The id of the only instance. */
export const bacnetId = "bacnet";

const defaultPort = 47_808;

/** The instance number of a BACnet object, such as the hub itself. */
export const BacnetInstance = Type.Integer({ minimum: 0, maximum: limits.bacnetInstance });

const fields = {
  bacnetEnabled: Type.Boolean(),
  deviceId: BacnetInstance,
  deviceName: Type.String({ minLength: 1, maxLength: limits.bacnetNameChars, pattern: "\\S" }),
  port: Type.Integer({ minimum: 1025, maximum: 65_535 }),
  broadcast: Type.Boolean(),
};

/** As the API serves it. */
export const BacnetSettings = Type.Object({ type: Type.Literal("BACNET_SETTINGS"), ...fields });

/** As clients send it: `broadcast` is optional. */
export const SetBacnetSettings = Type.Object({
  type: Type.Literal("BACNET_SETTINGS"),
  ...fields,
  broadcast: unchangedIfNull(fields.broadcast),
});

/** Commands about the BACnet server. */
export type BacnetCommand = Type.Static<typeof SetBacnetSettings> | { type: "RESET_BACNET_SETTINGS" };

const BacnetSettingsSet = defineEvent("BacnetSettingsSet", 1, fields);

/** Events about the BACnet server. */
export type BacnetEvent = EventOf<typeof BacnetSettingsSet>;

/** Returns the default settings of a hub: off, with the number and name derived from the hub's id. */
export function defaultBacnetSettings(hubId: string, hubName: string): BacnetSettings {
  const suffix = ` ${hubId.slice(0, 8)}`;
  return {
    type: "BACNET_SETTINGS",
    bacnetEnabled: false,
    deviceId: digest(hubId) % (limits.bacnetInstance + 1),
    deviceName: hubName.slice(0, limits.bacnetNameChars - suffix.length) + suffix,
    port: defaultPort,
    broadcast: true,
  };
}

/** FNV-1a, which spreads ids over the numbers; hubs with the same number need another one set by hand. */
function digest(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  return hash;
}

/** One instance, which exists once somebody sets it. */
export const bacnet: Decider<BacnetSettings, BacnetCommand, BacnetEvent> = {
  kind: "bacnet",
  commands: ["BACNET_SETTINGS", "RESET_BACNET_SETTINGS"],
  events: [BacnetSettingsSet],

  target: () => bacnetId,

  decide(command, state, world) {
    const [hub] = [...world.all("hub")];
    if (hub === undefined) return reject("wrong-state", "there is no hub yet");
    const [hubId, { name }] = hub;
    const before = state ?? defaultBacnetSettings(hubId, name);
    const { bacnetEnabled, broadcast } = before;
    const wanted =
      command.type === "BACNET_SETTINGS"
        ? { ...command, broadcast: command.broadcast ?? broadcast }
        : { ...defaultBacnetSettings(hubId, name), bacnetEnabled };
    const { deviceId, deviceName, port } = wanted;
    const event: BacnetEvent = {
      type: "BacnetSettingsSet",
      id: bacnetId,
      bacnetEnabled: wanted.bacnetEnabled,
      deviceId,
      deviceName,
      port,
      broadcast: wanted.broadcast,
    };
    return state !== undefined && JSON.stringify(settingsOf(event)) === JSON.stringify(state) ? [] : [event];
  },

  evolve: (_state, event) => settingsOf(event),
};

function settingsOf({ bacnetEnabled, deviceId, deviceName, port, broadcast }: BacnetEvent): BacnetSettings {
  return { type: "BACNET_SETTINGS", bacnetEnabled, deviceId, deviceName, port, broadcast };
}
