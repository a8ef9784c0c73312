import { isDeepStrictEqual } from "node:util";
import type { AnyDecider, DomainEvent } from "@ledge/model";
import { aggregates, envelopeFields } from "@ledge/model";
import { validatorOf } from "./well-formed.ts";

/**
 * Returns what is wrong with an event, one line each: it differs from its declaration, or from itself after a
 * round trip through JSON.
 */
export function eventProblems(event: DomainEvent, over: readonly AnyDecider[] = aggregates): string[] {
  const definition = over.flatMap(({ events }) => events).find(({ type }) => type === event.type);
  if (definition === undefined) return [`${event.type} is not declared`];
  const problems: string[] = [];
  const { type } = event;
  const validator = validatorOf(definition.schema);
  if (!validator.Check(event)) {
    for (const { instancePath, message } of validator.Errors(event)) {
      problems.push(`${type}${instancePath} ${message}`);
    }
  }
  for (const name of Object.keys(event)) {
    if (!(name in definition.schema.properties)) problems.push(`${event.type} declares no ${name}`);
    if (envelopeFields.some((reserved) => reserved === name))
      problems.push(`${event.type} uses the reserved name ${name}`);
  }
  if (!isDeepStrictEqual(JSON.parse(JSON.stringify(event)), event)) {
    problems.push(`${event.type} is not the same after a round trip through JSON`);
  }
  return problems;
}
