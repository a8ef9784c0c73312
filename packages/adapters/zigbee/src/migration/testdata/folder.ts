import { randomBytes } from "node:crypto";
import type { Zigbee2mqttFiles } from "@ledge/model";

/** The parts of a data folder of Zigbee2MQTT that a test changes. */
export interface FolderParts {
  readonly key?: Uint8Array;
  readonly backup?: Readonly<Record<string, unknown>>;
  readonly entries?: readonly object[];
}

const coordinator = {
  id: 1,
  type: "Coordinator",
  ieeeAddr: "0x00124b0000000001",
  nwkAddr: 0,
  endpoints: {},
  interviewState: "SUCCESSFUL",
  meta: {},
};

/** A lamp as zigbee-herdsman stores it after its interview. */
export const lampEntry = {
  id: 2,
  type: "Router",
  ieeeAddr: "0x000b57fffe000001",
  nwkAddr: 41091,
  manufName: "Nobody",
  powerSource: "Mains (single phase)",
  modelId: "Lamp1",
  epList: [1],
  endpoints: {
    1: { profId: 260, epId: 1, devId: 256, inClusterList: [0, 3, 4, 5, 6], outClusterList: [], clusters: {} },
  },
  interviewCompleted: true,
  interviewState: "SUCCESSFUL",
  meta: {},
};

/** Makes a data folder of Zigbee2MQTT with one lamp in one group, under random keys. */
export function makeFolder({
  key = randomBytes(16),
  backup = {},
  entries = [lampEntry],
}: FolderParts = {}): Zigbee2mqttFiles {
  const extended = randomBytes(8);
  const hex = (octets: Uint8Array): string => Buffer.from(octets).toString("hex");
  const list = (octets: Uint8Array): string => JSON.stringify([...octets]);
  const group = {
    id: 90,
    type: "Group",
    groupID: 7,
    members: [{ deviceIeeeAddr: lampEntry.ieeeAddr, endpointID: 1 }],
    meta: {},
  };
  return {
    "configuration.yaml": `version: 5
advanced: {network_key: ${list(key)}, ext_pan_id: ${list(extended)}, pan_id: 6754, channel: 20}
devices:
  '${lampEntry.ieeeAddr}': {friendly_name: Hall}
groups:
  '7': {friendly_name: Downstairs}
`,
    "database.db": [coordinator, ...entries, group].map((entry) => JSON.stringify(entry)).join("\n"),
    "coordinator_backup.json": JSON.stringify({
      metadata: { format: "zigpy/open-coordinator-backup", version: 1, source: "test", internal: {} },
      stack_specific: { zstack: {} },
      coordinator_ieee: hex(randomBytes(8)),
      pan_id: "1a62",
      extended_pan_id: hex(extended),
      nwk_update_id: 0,
      security_level: 5,
      channel: 15,
      channel_mask: [15],
      network_key: { key: hex(key), sequence_number: 0, frame_counter: 1 },
      devices: [],
      ...backup,
    }),
  };
}
