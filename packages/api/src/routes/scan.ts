import {
  type Command,
  Device,
  type Find,
  limits,
  PairingStatus,
  previewOf,
  scanId,
  SetScanResult,
  textOf,
} from "@ledge/model";
import Type from "typebox";
import { Refused } from "../refused.ts";
import { type Call, row } from "../row.ts";
import { submit, submitFor } from "../submit.ts";

const DeviceScan = Type.Object({
  type: Type.Literal("DEVICE_SCAN"),
  id: Type.String(),
  ignored: Type.Boolean(),
  info: Type.Union([Type.String(), Type.Null()]),
  actionRequired: Type.Boolean(),
  pairingStatus: PairingStatus,
  status: Type.Union([Device, Type.Null()]),
  timestamp: Type.Integer(),
});

const ScanDelta = Type.Object({
  type: Type.Literal("SCAN_DELTA"),
  timestamp: Type.Integer(),
  full: Type.Boolean(),
  devices: Type.Array(DeviceScan),
});

export const scan = [
  row({
    method: "GET",
    path: "/hub/scan",
    summary: "Looks for devices, and says what was found since a timestamp; ends when nobody asks any more",
    access: "USER_ADMIN",
    query: Type.Object({
      ts: Type.Optional(
        Type.Integer({ description: "timestamp of the last answer; none or 0 for everything" }),
      ),
    }),
    result: ScanDelta,
    async handle(call) {
      const durationMs = call.listener === "remote" ? limits.scanRemoteMs : limits.scanLocalMs;
      const begun = await submit(call, [{ type: "SCAN", durationMs } as Command]);
      return begun instanceof Refused ? begun : deltaSince(call.query.ts ?? 0, call);
    },
  }),
  row({
    method: "PUT",
    path: "/hub/scan",
    summary: "Says whether a found device is to be paired when the scan ends",
    access: "USER_ADMIN",
    body: SetScanResult,
    result: Type.Literal(true),
    handle: (call) => submitFor(call, [call.body], true as const),
  }),
  row({
    method: "GET",
    path: "/hub/stopscan",
    summary: "Ends the scan: what is not ignored is paired, the rest is let go",
    access: "USER_ADMIN",
    result: Type.Literal(true),
    handle: (call) => submitFor(call, [{ type: "END_SCAN" }], true as const),
  }),
];

function deltaSince(ts: number, call: Call): Type.Static<typeof ScanDelta> {
  const { kernel } = call.hub;
  const { timestamp } = kernel;
  const { finds = {}, shrunkAt = timestamp } = kernel.get("scan", scanId) ?? {};
  const full = ts <= 0 || ts > timestamp || ts < shrunkAt;
  const changed = Object.values(finds).filter(
    ({ id, ...find }) =>
      full || find.timestamp > ts || (find.paired && (kernel.get("device", id)?.timestamp ?? 0) > ts),
  );
  return { type: "SCAN_DELTA", timestamp, full, devices: changed.map((find) => scanned(find, call)) };
}

function scanned(find: Find, { caller, language, hub: { kernel } }: Call): Type.Static<typeof DeviceScan> {
  const { id, ignored, actionRequired, pairingStatus, help, helpValues, timestamp } = find;
  const status = find.paired ? (kernel.render("device", id, caller, language) ?? null) : previewOf(find);
  return {
    type: "DEVICE_SCAN",
    id,
    ignored,
    info: help === null ? null : textOf(help, language, helpValues),
    actionRequired,
    pairingStatus,
    status: status as Type.Static<typeof Device> | null,
    timestamp,
  };
}
