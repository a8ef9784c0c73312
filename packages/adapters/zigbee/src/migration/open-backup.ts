import { refuseSetting } from "@ledge/port";
import { lazyValidator } from "@ledge/model";
import Type from "typebox";
import { isRecord } from "@ledge/exposes";
import type { Member } from "../network/device-entries.ts";
import type { NetworkParameters } from "../network/parameters.ts";
import type { StickKind } from "../settings.ts";
import { checked, parsedJson } from "./schema.ts";

const hexadecimal = (digits: number): Type.TString => Type.String({ pattern: `^[0-9a-fA-F]{${digits}}$` });
/** Counters of frames have 32 bits (Zigbee specification, 4.3.1). */
const FrameCounter = Type.Integer({ minimum: 0, maximum: 0xffff_ffff });
const LinkKey = Type.Object({ key: hexadecimal(32), rx_counter: FrameCounter, tx_counter: FrameCounter });

const format = "zigpy/open-coordinator-backup";
const version = 1;
/** The format of zigpy's `open-coordinator-backup`, version 1, which zigbee-herdsman reads and writes. */
const OpenBackup = Type.Object({
  metadata: Type.Object({
    format: Type.Literal(format),
    version: Type.Literal(version),
    source: Type.String({ maxLength: 256 }),
    internal: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  }),
  stack_specific: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  coordinator_ieee: hexadecimal(16),
  pan_id: Type.String({ pattern: "^[0-9a-fA-F]{1,4}$" }),
  extended_pan_id: hexadecimal(16),
  nwk_update_id: Type.Integer({ minimum: 0, maximum: 255 }),
  security_level: Type.Integer({ minimum: 0, maximum: 7 }),
  channel: Type.Integer({ minimum: 11, maximum: 26 }),
  channel_mask: Type.Array(Type.Integer({ minimum: 11, maximum: 26 }), { minItems: 1, maxItems: 16 }),
  network_key: Type.Object({
    key: hexadecimal(32),
    sequence_number: Type.Integer({ minimum: 0, maximum: 255 }),
    frame_counter: FrameCounter,
  }),
  devices: Type.Array(
    Type.Object({
      nwk_address: Type.Union([Type.String({ pattern: "^[0-9a-fA-F]{1,4}$" }), Type.Null()]),
      ieee_address: hexadecimal(16),
      is_child: Type.Boolean(),
      link_key: Type.Optional(LinkKey),
    }),
    { maxItems: 4096 },
  ),
});
const validator = lazyValidator(OpenBackup);

/** A coordinator's state in the open format. */
export interface ReadBackup {
  readonly network: NetworkParameters;
  /** The devices in the coordinator's tables, as far as their network addresses are known. */
  readonly members: readonly Member[];
  /** The kind of stick that it can be written to; undefined when the backup does not tell. */
  readonly stick: StickKind | undefined;
  /** When it was made (ms since the epoch); undefined when the backup does not tell. */
  readonly at: number | undefined;
  /** The counter of the frames that the coordinator had sent. */
  readonly frameCounter: number;
  readonly text: string;
}

/**
 * Reads a backup in the open coordinator format.
 * @param where the name of the file, for messages
 * @throws AdapterError `settings`
 */
export function readBackup(where: string, text: string): ReadBackup {
  const parsed = parsedJson(where, text);
  assertFormat(where, parsed);
  const backup = checked(where, validator, parsed);
  const { metadata, pan_id, extended_pan_id, channel, network_key, stack_specific = {}, devices } = backup;
  const panId = Number.parseInt(pan_id, 16);
  if (panId === 0 || panId > 0xfffe) refuseSetting(where, `pan_id ${pan_id} is no PAN id`);
  const network = {
    panId,
    extendedPanId: extended_pan_id.toLowerCase(),
    networkKey: network_key.key.toLowerCase(),
    channel,
  };
  const at = timeOf(metadata.internal ?? {});
  const members = devices.flatMap(({ ieee_address: ieee, nwk_address: address }) =>
    address === null ? [] : [{ ieee: `0x${ieee.toLowerCase()}`, address: Number.parseInt(address, 16) }],
  );
  const stick = stickOf(stack_specific);
  const { frame_counter: frameCounter } = network_key;
  return { network, members, stick, at, frameCounter, text: JSON.stringify(backup) };
}

/** Says of a file of another kind what it is not, instead of which of its fields is wrong. */
function assertFormat(where: string, parsed: unknown): void {
  const metadata = isRecord(parsed) ? parsed["metadata"] : undefined;
  if (!isRecord(metadata) || metadata["format"] !== format)
    refuseSetting(where, `is no coordinator backup: metadata.format must be ${format}`);
  if (metadata["version"] !== version)
    refuseSetting(where, `metadata.version must be ${version}: the hub reads no other version of the format`);
}

/** zigbee-herdsman writes `date`, zigpy writes `creation_time`. */
function timeOf({ date, creation_time: created }: Readonly<Record<string, unknown>>): number | undefined {
  const at = Date.parse(String(date ?? created));
  return Number.isNaN(at) ? undefined : at;
}

/** zigpy calls the protocol of Silicon Labs `ezsp`, zigbee-herdsman calls it `ember`. */
function stickOf(specific: Readonly<Record<string, unknown>>): StickKind | undefined {
  if ("zstack" in specific) return "zstack";
  return "ezsp" in specific || "ember" in specific ? "ember" : undefined;
}

/** What zigbee-herdsman writes as the version of the stack, and expects to be there: Z-Stack 3.x.0, and EZSP 13. */
const stackVersions = { zstack: { znpVersion: 1 }, ember: { ezspVersion: 13 } } as const;

/**
 * Returns the text of a checked backup as zigbee-herdsman restores it. Other programs do not tell the version of the
 * stack.
 * @throws AdapterError `settings` without the link key of an ember stick's trust centre
 */
export function textForLibrary(where: string, text: string, stick: StickKind): string {
  if (stick !== "zstack" && stick !== "ember") return text;
  const backup = JSON.parse(text) as Type.Static<typeof OpenBackup>;
  const { metadata, stack_specific: specific = {} } = backup;
  const [ezsp, zstack] = [specific["ezsp"], specific["zstack"]];
  if (stick === "ember" && !(isRecord(ezsp) && isKey(ezsp["hashed_tclk"])))
    refuseSetting(where, "stack_specific.ezsp.hashed_tclk is missing, which an ember stick needs");
  const seed = isRecord(zstack) ? zstack["tclk_seed"] : undefined;
  if (stick === "zstack" && seed !== undefined && !isKey(seed))
    refuseSetting(where, "stack_specific.zstack.tclk_seed is no key");
  const internal = { ...stackVersions[stick], ...metadata.internal };
  return JSON.stringify({ ...backup, metadata: { ...metadata, internal } });
}

function isKey(value: unknown): boolean {
  return typeof value === "string" && /^[0-9a-f]{32}$/i.test(value);
}
