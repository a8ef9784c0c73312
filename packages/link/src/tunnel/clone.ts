import type { IncomingHttpHeaders } from "node:http";

/**
 * How another hub of the same identity stands to the one that is served: `older` is one from before its last restore,
 * `same` one of its generation, such as a copied data folder.
 */
export type CloneKind = "older" | "same";

/** Why a cloud does not open a tunnel for a hub: another one of its identity has it. */
export interface CloneRefusal {
  /** How the refused one stands to the other. */
  readonly kind: CloneKind;
  /** The newest generation of the hub that the cloud has seen. */
  readonly newest: number;
}

/** The status of such a refusal, and the header that tells it from others. */
export const cloneStatus = 409;
const cloneHeader = "ledge-clone";

export function cloneHeaders({ kind, newest }: CloneRefusal): Record<string, string> {
  return { [cloneHeader]: `${kind} ${newest}` };
}

/** What the headers of an answer say; undefined when it was refused for another reason. */
export function cloneRefusalIn(headers: IncomingHttpHeaders): CloneRefusal | undefined {
  const [kind, newest = ""] = String(headers[cloneHeader] ?? "").split(" ");
  if (!isCloneKind(kind) || !/^\d{1,16}$/.test(newest) || !Number.isSafeInteger(Number(newest)))
    return undefined;
  return { kind, newest: Number(newest) };
}

export function isCloneKind(value: unknown): value is CloneKind {
  return value === "older" || value === "same";
}
