import type { StickKind } from "../settings.ts";
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
  const { coordinator_ieee: ieee } = unified;
  const coordinator = ieee === undefined ? undefined : `0x${ieee.toLowerCase()}`;
  return { text: JSON.stringify(written), sent: key.frame_counter, coordinator };
}

/** Whether a new backup belongs to the network: a dying stick may return anything. */
export function isBackupOf(text: string, network: KeptNetwork): boolean {
  try {
    return isOf(JSON.parse(text) as UnifiedBackup, network);
  } catch {
    return false;
  }
}

function isOf(
  { extended_pan_id: extended, network_key: { key } }: UnifiedBackup,
  network: KeptNetwork,
): boolean {
  return extended.toLowerCase() === network.extendedPanId && key.toLowerCase() === network.networkKey;
}
