import { KernelError, type KernelErrorCode } from "@ledge/kernel";
import type { Problem } from "@ledge/link";
import { isRejection, type Rejection } from "@ledge/model";
import Type from "typebox";
import { BusyError } from "../accounts/password-hashes.ts";

/** The error codes of Graph, with the HTTP status that each has where a status is answered (platform-api 7). */
export const errorStatuses = {
  E_INVALID: 422,
  E_UNKNOWN_TYPE: 422,
  E_FORBIDDEN: 403,
  E_NOT_FOUND: 404,
  E_CONFLICT: 409,
  E_WRONG_STATE: 409,
  E_LIMIT: 409,
  E_NOT_SUPPORTED: 501,
  E_HUB_OFFLINE: 503,
  E_HUB_TIMEOUT: 504,
  E_HUB_REFUSED: 502,
  E_REMOTE_DISABLED: 402,
  E_READ_ONLY: 507,
  E_BUSY: 503,
  E_UNKNOWN: 500,
} as const;
export type ErrorCode = keyof typeof errorStatuses;

const flat = {
  code: Type.Enum(Object.keys(errorStatuses) as ErrorCode[]),
  message: Type.String(),
  details: Type.Optional(Type.Record(Type.String(), Type.String())),
};

/** The `error` of a result. `errors` has one entry per field of an invalid message. */
export const GraphError = Type.Object({ ...flat, errors: Type.Optional(Type.Array(Type.Object(flat))) });
export type GraphError = Type.Static<typeof GraphError>;

/** Why a message was not carried out: a value that any row may return. */
export class Failed {
  readonly error: GraphError;

  /** @param details texts for programs, such as `field` or `status` */
  constructor(
    code: ErrorCode,
    message: string,
    details?: Readonly<Record<string, string>>,
    errors?: GraphError["errors"],
  ) {
    this.error = { code, message, ...(details && { details }), ...(errors && { errors }) };
  }
}

/** Fails for what does not exist, or is not for the caller to know of. */
export function notFound(what: string, id: string, field: string): Failed {
  return new Failed("E_NOT_FOUND", `there is no ${what} ${id}`, { field });
}

/** Fails for invalid fields, with one error for each. */
export function invalidFields(problems: readonly Problem[]): Failed {
  const errors = problems.map(({ field, message }) => {
    return { code: "E_INVALID" as const, message: `${field} ${message}`.trim(), details: { field } };
  });
  const [first] = errors;
  return new Failed("E_INVALID", first?.message ?? "the message is invalid", first?.details, errors);
}

const rejectionCodes: Readonly<Record<Rejection["rejected"], ErrorCode>> = {
  "not-found": "E_NOT_FOUND",
  forbidden: "E_FORBIDDEN",
  invalid: "E_INVALID",
  "wrong-state": "E_WRONG_STATE",
  taken: "E_CONFLICT",
  limit: "E_LIMIT",
};

/** Returns the failure that a rejection of the domain means. Its message is a sentence that needs no field before it. */
export function failedBy({ rejected, message, field }: Rejection): Failed {
  const code = rejectionCodes[rejected];
  if (field === undefined) return new Failed(code, message);
  const details = { field };
  const errors = code === "E_INVALID" ? [{ code, message, details }] : undefined;
  return new Failed(code, message, details, errors);
}

/** Returns the failure that a rejection means; undefined for everything else. */
export function failureIn(answer: object | undefined): Failed | undefined {
  return answer !== undefined && isRejection(answer) ? failedBy(answer) : undefined;
}

const kernelFailures: Readonly<Record<KernelErrorCode, readonly [code: ErrorCode, message: string]>> = {
  "read-only": ["E_READ_ONLY", "the cloud is read-only and accepts no changes now"],
  failed: ["E_UNKNOWN", "the change could not be written to disk; nothing of it was applied"],
  spent: ["E_LIMIT", "too many changes; try again later"],
  busy: ["E_BUSY", "the cloud is busy; try again"],
  closed: ["E_BUSY", "the cloud is shutting down; try again"],
};

/** Returns the failure for an expected exception; undefined for a bug. */
export function failedByError(error: unknown): Failed | undefined {
  if (error instanceof KernelError) return new Failed(...kernelFailures[error.code]);
  return error instanceof BusyError ? new Failed(...kernelFailures.busy) : undefined;
}
