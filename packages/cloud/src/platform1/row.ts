import type { GraphResponse } from "../graph/graph.ts";

export type Result = GraphResponse["result"];

/**
 * An endpoint of the platform 1.0 API (platform-api 4.4). It is answered by a type of Graph, so that there is one
 * handler for both.
 */
export interface Row1 {
  readonly method: "GET" | "PUT" | "POST" | "PATCH" | "DELETE";
  /** Below `/1.0`. Its segments match without case; `:name` is a field of the message. */
  readonly path: string;
  /** The type of Graph that answers. */
  readonly type: string;
  /** Which parameters of the URL are fields of the message: those of a kind of list, or these texts. */
  readonly query?: "page" | "devices" | "entities" | readonly string[];
  /** The field of the message that the body is; `message` if its fields are those of the message. */
  readonly body?: string;
  /** Whether the body is bytes: JSON or MessagePack, whose JSON goes into the message as base64. */
  readonly isBinary?: true;
  /** Fields of the message that are the same in every call. */
  readonly fixed?: Readonly<Record<string, unknown>>;
  /** The field of the result that is answered; by default the whole result. */
  readonly answer?: string;
  /** Whether that field is a list of which the only item is answered. */
  readonly isOne?: true;
  /** Returns the path of what the message has created, below `/1.0`; the answer is 201 then. */
  readonly created?: (result: Result, message: Readonly<Record<string, unknown>>) => string;
  /** Whether the message is about the caller's active tenant. */
  readonly inTenant?: true;
  /** Whether an operation is answered at once, with 202. */
  readonly isSlow?: true;
}
