import type { IncomingHttpHeaders } from "node:http";

/**
 * How another hub with the same identity relates to the linked one: `older` is from before its last restore,
 * `same` is of its generation, such as a copied data folder.
 */
export type CloneKind = "older" | "same";

/** Why a cloud refuses a tunnel: another hub with this identity has one. */
export interface CloneRefusal {
  /** How the refused hub relates to the other. */
  readonly kind: CloneKind;
  /** The newest generation of the hub that the cloud has seen. */
  readonly newest: number;
}

/** The status of such a refusal, and the header that identifies it. */
export const cloneStatus = 409;
const cloneHeader = "ledge-clone";

/** Returns the headers that tell a refused hub why. */
export function cloneHeaders({ kind, newest }: CloneRefusal): Record<string, string> {
  return { [cloneHeader]: `${kind} ${newest}` };
}

/** Reads the refusal from the headers of an answer; undefined for another refusal. */
export function cloneRefusalIn(headers: IncomingHttpHeaders): CloneRefusal | undefined {
  const [kind, newest = ""] = String(headers[cloneHeader] ?? "").split(" ");
  if (!isCloneKind(kind) || !/^\d{1,16}$/.test(newest) || !Number.isSafeInteger(Number(newest)))
    return undefined;
  return { kind, newest: Number(newest) };
}

export function isCloneKind(value: unknown): value is CloneKind {
  return value === "older" || value === "same";
}
