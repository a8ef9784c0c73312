import Type from "typebox";
import { limits } from "./limits.ts";

const Text = Type.String({ maxLength: limits.importChars });

/** The files of Zigbee2MQTT's data folder that an import takes, as texts by file name. */
export const Zigbee2mqttFiles = Type.Object(
  {
    "configuration.yaml": Text,
    "database.db": Text,
    "coordinator_backup.json": Type.Optional(Text),
    "devices.yaml": Type.Optional(Text),
    "groups.yaml": Type.Optional(Text),
    "secret.yaml": Type.Optional(Text),
  },
  { additionalProperties: false },
);
export type Zigbee2mqttFiles = Readonly<Type.Static<typeof Zigbee2mqttFiles>>;

const needed: ReadonlySet<string> = new Set(Zigbee2mqttFiles.required);

/** The names of the files, and whether each must be there. */
export const zigbee2mqttFiles: ReadonlyMap<keyof Zigbee2mqttFiles, boolean> = new Map(
  (Object.keys(Zigbee2mqttFiles.properties) as (keyof Zigbee2mqttFiles)[]).map((name) => [
    name,
    needed.has(name),
  ]),
);
