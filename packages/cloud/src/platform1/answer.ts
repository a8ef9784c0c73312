import { Refused } from "@ledge/link";
import { limits } from "@ledge/model";
import type { GraphError } from "../graph/errors.ts";
import { type GraphOperation, operationObject } from "../graph/operation-object.ts";
import { problemType, refusedByFailure, respondAs } from "../http/answers.ts";
import { endOf } from "./operation.ts";
import type { Result, Row1 } from "./row.ts";

type Waiting = Parameters<typeof endOf>[1];

/** Returns the answer of an endpoint to the result of its message. @param path of the request */
export async function answerOf(
  row: Row1,
  message: Readonly<Record<string, unknown>>,
  result: Result,
  path: string,
  waiting: Waiting,
): Promise<Response | Refused> {
  const { type: _, error, ...rest } = result;
  if (error !== undefined) return refusedByFailure(withoutBody(error, row.body));
  const { operation } = rest as { readonly operation?: GraphOperation };
  if (operation !== undefined) return operationAnswer(row, operation, path, waiting);
  if (row.method === "DELETE") return deleted(path);
  const answered = row.answer === undefined ? rest : (rest[row.answer] ?? null);
  const body = JSON.stringify(row.isOne ? (answered as readonly unknown[])[0] : answered);
  if (row.created === undefined) return respondAs("application/json", body);
  const response = respondAs("application/json", body, 201);
  response.headers.set("location", `/1.0${row.created(result, message)}`);
  return response;
}

/** Waits for an operation, unless it takes long by its nature. One that goes on is followed by its id. */
async function operationAnswer(
  row: Row1,
  begun: GraphOperation,
  path: string,
  waiting: Waiting,
): Promise<Response | Refused> {
  const ended = row.isSlow ? undefined : await endOf(begun.operationId, waiting);
  const operation = ended === undefined ? begun : operationObject(ended);
  if (operation.state === "Failed" && operation.error !== null) return refusedByFailure(operation.error);
  if (operation.state === "Canceled") return new Refused(409, "the operation was canceled");
  if (operation.state === "Succeeded")
    return row.method === "DELETE" ? deleted(path) : respondAs("application/json", JSON.stringify(operation));
  const response = respondAs("application/json", JSON.stringify(operation), 202);
  response.headers.set("operation-location", `/1.0/Operations/${operation.operationId}`);
  response.headers.set("retry-after", String(limits.operationRetryS));
  return response;
}

/** A deletion answers problem details, although nothing went wrong (platform-api 7). */
function deleted(instance: string): Response {
  const body = { type: "about:blank", title: "Deleted", status: 200, detail: "it is deleted", instance };
  return respondAs(problemType, JSON.stringify(body));
}

/** Names fields as they stand in the body. */
function withoutBody(error: GraphError, body: string | undefined): GraphError {
  if (body === undefined || body === "message") return error;
  const prefix = `${body}.`;
  const named = <Each extends Omit<GraphError, "errors">>(one: Each): Each => {
    const field = one.details?.["field"];
    if (field === undefined || !field.startsWith(prefix)) return one;
    const message = one.message.startsWith(prefix) ? one.message.slice(prefix.length) : one.message;
    return { ...one, message, details: { ...one.details, field: field.slice(prefix.length) } };
  };
  return { ...named(error), ...(error.errors && { errors: error.errors.map(named) }) };
}
