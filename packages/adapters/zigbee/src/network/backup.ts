import type { StickKind } from "../settings.ts";
import type { Member } from "./device-entries.ts";
import type { KeptBackup, KeptNetwork } from "./kept-network.ts";

/** The kinds of stick that the library can restore. */
const restorable: ReadonlySet<StickKind> = new Set<StickKind>(["zstack", "ember"]);

/** Whether the library can back up and restore this kind of stick. */
export function isRestorable(stick: StickKind): boolean {
  return restorable.has(stick);
}

/** The most frames per second that a coordinator can send, at 250 kbit/s. */
const framesPerSecond = 200;
/** Half of the counter's 32 bits, which leaves room for more frames. */
const mostFrames = 0x7fff_ffff;

interface UnifiedBackup {
  metadata?: { readonly source?: string };
  coordinator_ieee?: string;
  pan_id: string;
  extended_pan_id: string;
  channel: number;
  channel_mask: number[];
  network_key: { key: string; frame_counter: number };
}

/**
 * Returns the backup to write to a stick, or the reason why it cannot be written. Its frame counter is set
 * ahead of all frames sent since, because devices reject a frame number that they have seen; its channel is
 * the network's current one.
 * @param now ms since the epoch
 * @returns `sent`: the frame counter at the time of the backup; `coordinator`: the address that devices report to
 */
export function restorableBackup(
  backup: KeptBackup | undefined,
  network: KeptNetwork,
  stick: StickKind,
  now: number,
):
  | { readonly text: string; readonly sent: number; readonly coordinator: string | undefined }
  | { readonly reason: string } {
  if (!isRestorable(stick)) return { reason: `a network cannot be put onto a ${stick} stick` };
  if (backup === undefined) return { reason: "there is no backup of the coordinator" };
  if (backup.stick !== stick) return { reason: `the backup is of a ${backup.stick} stick, not ${stick}` };
  let unified: UnifiedBackup;
  try {
    unified = JSON.parse(backup.text) as UnifiedBackup;
    if (!isOf(unified, network)) return { reason: "the backup is of another network" };
  } catch {
    return { reason: "the backup cannot be read" };
  }
  const { network_key: key } = unified;
  const seconds = Math.max(0, Math.ceil((now - backup.at) / 1000));
  const counter = Math.max(
    key.frame_counter,
    Math.min(key.frame_counter + seconds * framesPerSecond, mostFrames),
  );
  const written: UnifiedBackup = {
    ...unified,
    channel: network.channel,
    channel_mask: [network.channel],
    network_key: { ...key, frame_counter: counter },
  };
  return {
    text: JSON.stringify(written),
    sent: key.frame_counter,
    coordinator: coordinatorIn(unified, stick),
  };
}

/**
 * Returns the address of the coordinator, such as `0x00124b0000000001`. zigbee-herdsman writes that of an ember stick
 * with its bytes reversed.
 */
function coordinatorIn(
  { metadata, coordinator_ieee: written }: UnifiedBackup,
  stick: StickKind,
): string | undefined {
  if (written === undefined) return undefined;
  const isReversed = stick === "ember" && metadata?.source?.startsWith("zigbee-herdsman") === true;
  const octets = Buffer.from(written, "hex");
  return `0x${Buffer.from(isReversed ? octets.toReversed() : octets).toString("hex")}`;
}

/**
 * Returns a backup for other programs. That of an ember stick, as zigbee-herdsman makes it, has the address of the
 * coordinator reversed, and no devices.
 */
export function completeBackup(
  backup: KeptBackup,
  coordinator: string | undefined,
  members: readonly Member[],
): KeptBackup {
  if (backup.stick !== "ember") return backup;
  const unified = JSON.parse(backup.text) as UnifiedBackup;
  const hex = (ieee: string): string => ieee.slice(2);
  const written = {
    ...unified,
    metadata: { ...unified.metadata, source: "ledge" },
    coordinator_ieee: hex(coordinator ?? coordinatorIn(unified, backup.stick) ?? ""),
    devices: members.map(({ ieee, address }) => ({
      nwk_address: address.toString(16).padStart(4, "0"),
      ieee_address: hex(ieee),
      is_child: false,
    })),
  };
  return { ...backup, text: JSON.stringify(written) };
}

/** Whether a new backup belongs to the network: a dying stick may return anything. */
export function isBackupOf(text: string, network: KeptNetwork): boolean {
  try {
    return isOf(JSON.parse(text) as UnifiedBackup, network);
  } catch {
    return false;
  }
}

/** Returns the frame counter in a backup; undefined when it is damaged or of another network. */
export function frameCounterIn(text: string, network: KeptNetwork): number | undefined {
  return isBackupOf(text, network)
    ? (JSON.parse(text) as UnifiedBackup).network_key.frame_counter
    : undefined;
}

function isOf(
  { extended_pan_id: extended, network_key: { key } }: UnifiedBackup,
  network: KeptNetwork,
): boolean {
  return extended.toLowerCase() === network.extendedPanId && key.toLowerCase() === network.networkKey;
}
