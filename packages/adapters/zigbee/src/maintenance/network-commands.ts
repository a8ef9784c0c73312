import { limits } from "@ledge/model";
import { AdapterError } from "@ledge/port";
import Type from "typebox";
import type { GroupAudit } from "../groupcast/audit.ts";
import type { ZigbeePairing } from "../pairing.ts";
import type { Radio } from "../radio.ts";
import { insideOf, type StickAdapter } from "../library-inside.ts";
import type { StickKind } from "../settings.ts";
import { command, deviceOf, Native } from "./command.ts";
import { readInstallCode } from "./install-code.ts";
import type { MaintenanceTable } from "./table.ts";

const Some = Type.Object({ device: Type.Optional(Native) });
const Router = Type.Object({ device: Type.Union([Native, Type.Null()]) });
const Code = Type.Object({ code: Type.String({ minLength: 1, maxLength: limits.installCodeChars }) });

type NetworkType =
  | "ZIGBEE_GET_GROUPS"
  | "ZIGBEE_MEND_GROUPS"
  | "ZIGBEE_JOIN_THROUGH"
  | "ZIGBEE_ADD_INSTALL_CODE"
  | "ZIGBEE_CHECK_COORDINATOR";

/** Options of `networkCommands`. */
export interface NetworkCommandsOptions {
  readonly radio: Radio;
  readonly pairing: ZigbeePairing;
  readonly audit: GroupAudit;
  /** The kind of the stick. */
  readonly kind: () => StickKind | undefined;
}

/** Returns the commands about the network as a whole: groups on the radio, joining, the coordinator's tables. */
export function networkCommands({
  radio,
  pairing,
  audit,
  kind,
}: NetworkCommandsOptions): Pick<MaintenanceTable, NetworkType> {
  return {
    ZIGBEE_GET_GROUPS: command(Some, ({ device }) => audit.read(device, false)),
    ZIGBEE_MEND_GROUPS: command(Some, ({ device }) => audit.read(device, true)),
    ZIGBEE_JOIN_THROUGH: command(Router, async ({ device: native }) => {
      const device = native === null ? undefined : deviceOf(radio, native);
      if (device !== undefined && device.type !== "Router")
        throw new AdapterError("settings", "device: is no router, so nothing can join through it");
      await pairing.through(device?.ieeeAddr);
      return true;
    }),
    ZIGBEE_ADD_INSTALL_CODE: command(Code, async ({ code: text }) => {
      const { ieee, code } = readInstallCode(text);
      // The library's own parser accepts wrong CRCs, and guesses.
      const digits = Buffer.from(code).toString("hex");
      await radio.use((controller) => controller.addInstallCode(`${ieee.slice(2)}|${digits}`));
      return { device: ieee };
    }),
    ZIGBEE_CHECK_COORDINATOR: command(Type.Object({}), async () => {
      const stick = kind();
      if (stick !== "zstack")
        throw new AdapterError("unsupported", `the tables of a ${stick ?? "missing"} stick list no routers`);
      const present = await radio.use(async (controller) => await listedIn(insideOf(controller).adapter));
      const routers = radio.devices().filter(({ type }) => type === "Router");
      const missing = routers.filter(({ ieeeAddr }) => !present.has(ieeeAddr));
      return { missingRouters: missing.map(({ ieeeAddr }) => ieeeAddr) };
    }),
  };
}

/**
 * Returns the devices in the coordinator's own tables. The library's check never finds one missing: it adds the
 * devices of its database that stand in its last backup.
 */
async function listedIn(adapter: StickAdapter | undefined): Promise<ReadonlySet<string>> {
  const { devices } = (await adapter?.backup?.([])) ?? { devices: [] };
  return new Set(devices.map(({ ieeeAddress }) => `0x${Buffer.from(ieeeAddress).toString("hex")}`));
}
