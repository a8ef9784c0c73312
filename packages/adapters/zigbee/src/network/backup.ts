import type { StickKind } from "../settings.ts";
import type { KeptBackup, KeptNetwork } from "./kept-network.ts";

/** Kinds of sticks onto which the library can write a backup. */
const restorable: ReadonlySet<StickKind> = new Set<StickKind>(["zstack", "ember"]);

/** Whether a stick of a kind tells its state and takes another's. */
export function isRestorable(stick: StickKind): boolean {
  return restorable.has(stick);
}

/** Frames that a coordinator sends in a second at the very most: 250 kbit/s carry no more. */
const framesPerSecond = 200;
/** Half of the counter's 32 bits: there are always more to count. */
const mostFrames = 0x7fff_ffff;

interface UnifiedBackup {
  pan_id: string;
  extended_pan_id: string;
  channel: number;
  channel_mask: number[];
  network_key: { key: string; frame_counter: number };
}

/**
 * A backup as it may be written to a stick, or why it may not. Its counter of frames is ahead of what has been sent
 * since, because devices take no frame with a number that they have seen; its channel is the network's of now.
 * @param now ms since the epoch
 * @returns `sent`: the counter when the backup was made
 */
export function restorableBackup(
  backup: KeptBackup | undefined,
  network: KeptNetwork,
  stick: StickKind,
  now: number,
): { readonly text: string; readonly sent: number } | { readonly reason: string } {
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
  return { text: JSON.stringify(written), sent: key.frame_counter };
}

/** Whether a backup that was just made is of the network: a stick that is dying may tell anything. */
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
