import type { Kernel } from "@ledge/kernel";
import type { CommandIssued, Device } from "@ledge/model";
import { isRejection, settableAttributes } from "@ledge/model";

type Issued = Pick<CommandIssued, "device" | "attributes" | "absolute" | "group" | "action">;

/** Commands to send one after the other. Several in one batch may be sent to their group as one frame. */
export interface Batch<C> {
  readonly commands: readonly C[];
  /** The group of a batch with several commands; null otherwise. */
  readonly group: string | null;
}

/**
 * Splits the commands of a commit into batches. Commands can be cast together when they are the same for all
 * members of a group on one radio. A frame reaches every member, so a member without the command must be unable
 * to follow it.
 * @param casts whether a radio can reach a group with one frame
 * @returns all commands; those of each device stay in order
 */
export function batchesOf<C extends Issued>(
  commands: readonly C[],
  kernel: Pick<Kernel, "get" | "all">,
  casts: (protocol: string, radio: string) => boolean,
): Batch<C>[] {
  // Most commits issue one command.
  if (commands.length < 2) return commands.map(alone);
  const batches: C[][] = [];
  let open = new Map<string, C[]>();
  let devices = new Set<string>();
  for (const command of commands) {
    // The second command of a device must follow all commands of the batch that holds its first.
    if (devices.has(command.device)) [open, devices] = [new Map(), new Set()];
    devices.add(command.device);
    const key = keyOf(command, kernel, casts);
    const batch = key === undefined ? undefined : open.get(key);
    if (batch !== undefined) {
      batch.push(command);
      continue;
    }
    const begun = [command];
    batches.push(begun);
    if (key !== undefined) open.set(key, begun);
  }
  return batches.flatMap((batch): Batch<C>[] => {
    const group = batch[0]?.group ?? groupOf(batch, kernel);
    if (group !== null && batch.length > 1 && reachesNobodyElse(group, batch, kernel))
      return [{ commands: batch, group }];
    return batch.map(alone);
  });
}

function alone<C>(command: C): Batch<C> {
  return { commands: [command], group: null };
}

/** Returns a key that commands of one frame share; undefined for a command that must go singly. */
function keyOf(
  { device, attributes, absolute, group, action }: Issued,
  kernel: Pick<Kernel, "get">,
  casts: (protocol: string, radio: string) => boolean,
): string | undefined {
  const binding = kernel.get("binding", device);
  if (!absolute || action !== undefined || binding === undefined) return undefined;
  const { protocol, radio } = binding;
  if (!casts(protocol, radio)) return undefined;
  if (group !== null && kernel.get("group", group)?.group_address === undefined) return undefined;
  return JSON.stringify([protocol, radio, group, attributes]);
}

/**
 * Returns the group that has exactly these devices as its members on their radio, for commands of a scene or a list that
 * name no group; null when there is none.
 */
function groupOf(batch: readonly Issued[], kernel: Pick<Kernel, "get" | "all">): string | null {
  if (batch.length < 2) return null;
  const told = new Set(batch.map(({ device }) => device));
  const on = kernel.get("binding", batch[0]?.device ?? "");
  const isOnRadio = (member: string): boolean => {
    const binding = kernel.get("binding", member);
    return binding?.protocol === on?.protocol && binding?.radio === on?.radio;
  };
  for (const [id, { members, group_address }] of kernel.all("group")) {
    if (group_address === undefined || members.length < told.size) continue;
    const reached = members.filter(isOnRadio);
    if (reached.length === told.size && reached.every((member) => told.has(member))) return id;
  }
  return null;
}

function reachesNobodyElse(group: string, batch: readonly Issued[], kernel: Pick<Kernel, "get">): boolean {
  const told = new Set(batch.map(({ device }) => device));
  const [{ device: one, attributes } = { device: "", attributes: {} }] = batch;
  const on = kernel.get("binding", one);
  return (kernel.get("group", group)?.members ?? []).every((member) => {
    const binding = kernel.get("binding", member);
    if (told.has(member) || binding?.protocol !== on?.protocol || binding?.radio !== on?.radio) return true;
    const device = kernel.get("device", member);
    return device === undefined || !canDoAny(device, attributes);
  });
}

function canDoAny(device: Device, attributes: Issued["attributes"]): boolean {
  return Object.entries(attributes).some(
    ([name, value]) => !isRejection(settableAttributes(device, { [name]: value })),
  );
}
