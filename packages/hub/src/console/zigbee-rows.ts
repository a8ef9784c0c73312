import type { Row } from "@ledge/api";
import { askFirst, noteAsked, Refused, row } from "@ledge/api";
import { limits, orNull } from "@ledge/model";
import Type from "typebox";

const absent = "no Zigbee adapter is running: start the hub, and choose a stick";
const asking = { protocol: "zigbee", timeoutMs: limits.importMs } as const;

const facts = {
  channel: Type.Integer(),
  panId: Type.Integer(),
  extendedPanId: Type.String(),
  /** How many devices the coordinator's tables have. */
  devices: Type.Integer(),
  /** When it was made (ms since the epoch); null when it does not tell. */
  at: orNull(Type.Integer()),
};
const Facts = Type.Object(facts);
const Backup = Type.Object({ ...facts, text: Type.String() });

/** A coordinator backup, without its keys. */
export type ZigbeeBackupFacts = Type.Static<typeof Facts>;
/** A coordinator backup. `text`: in the open coordinator format, with the keys of the network. */
export type ZigbeeBackup = Type.Static<typeof Backup>;

/**
 * Endpoints for the `ledge` command about the coordinator's state. They stand on the console alone, because the
 * state contains the keys of the network, and the API hands out no secrets.
 */
export const zigbeeRows: readonly Row[] = [
  row({
    method: "GET",
    path: "/console/zigbeebackup",
    access: "SUPER_ADMIN",
    summary: "The state of the Zigbee coordinator in the open coordinator format, with its keys",
    result: Backup,
    async handle(call) {
      const refused = await noteAsked(call, "GET_ZIGBEE_BACKUP");
      return refused ?? (await askFirst<ZigbeeBackup>(call, { type: "GET_ZIGBEE_BACKUP" }, absent, asking));
    },
  }),
  row({
    method: "POST",
    path: "/console/zigbeerestore",
    access: "SUPER_ADMIN",
    summary: "Puts the Zigbee network of a coordinator backup onto the stick",
    body: Type.Object({
      backup: Type.String({ maxLength: limits.importChars }),
      replace: Type.Boolean(),
      dryRun: Type.Boolean(),
    }),
    result: Facts,
    async handle(call) {
      const request = { type: "RESTORE_ZIGBEE_BACKUP", ...call.body };
      const restore = (dryRun: boolean): Promise<ZigbeeBackupFacts | Refused> =>
        askFirst(call, { ...request, dryRun }, absent, asking);
      const found = await restore(true);
      if (found instanceof Refused || call.body.dryRun) return found;
      return (await noteAsked(call, request.type)) ?? (await restore(false));
    },
  }),
];
