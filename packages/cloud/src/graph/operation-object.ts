import Type from "typebox";
import { type Operation, operationStates } from "../model/operation.ts";
import { GraphError } from "./errors.ts";

/** An operation as its users see it. */
export const GraphOperation = Type.Object({
  operationId: Type.String(),
  /** The type of the message that started it. */
  command: Type.String(),
  /** The ids of what it is about. */
  target: Type.Record(Type.String(), Type.String()),
  state: Type.Enum([...operationStates]),
  percentComplete: Type.Integer({ minimum: 0, maximum: 100 }),
  /** ms since the epoch. */
  createdAt: Type.Integer(),
  modifiedAt: Type.Integer(),
  correlationId: Type.Union([Type.String(), Type.Null()]),
  result: Type.Unknown(),
  error: Type.Union([GraphError, Type.Null()]),
});
export type GraphOperation = Type.Static<typeof GraphOperation>;

/** Returns an operation as its users see it. */
export function operationObject(operation: Operation): GraphOperation {
  const { id, command, target, state, percentComplete, createdAt, timestamp, correlationId } = operation;
  const { result, error } = operation;
  return {
    operationId: id,
    command,
    target: { ...target },
    state,
    percentComplete,
    createdAt,
    modifiedAt: timestamp,
    correlationId,
    result,
    error: error as GraphOperation["error"],
  };
}
