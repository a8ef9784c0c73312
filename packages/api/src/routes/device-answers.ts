import Type from "typebox";
import { Compile, type Validator } from "typebox/compile";
import { Clean } from "typebox/value";
import { refusedByAdapter } from "../adapter-answers.ts";
import { notFound, Refused } from "../refused.ts";
import type { Call } from "../row.ts";

/** A command as it came, its fields judged by its schema. */
export interface Asked {
  readonly type: string;
  readonly id?: string;
  readonly [field: string]: unknown;
}

/** A command's request on the port: of the same name without the prefix, such as GET_QUEUE. */
export function requestOf(type: string): string {
  return type.replace(/^CMD_/, "");
}

/** The answer of the adapter of one device, or why there is none. */
export async function askDevice(command: Asked, answer: Type.TSchema, { hub }: Call): Promise<unknown> {
  const { type, id = "", ...fields } = command;
  const binding = hub.kernel.get("binding", id);
  const absent = notFound(`the adapter of this device has no answer to ${type}`);
  if (binding === undefined) return absent;
  const { protocol, native } = binding;
  const request = { ...fields, type: requestOf(type), native };
  const outcome = await hub.ask(request, { among: "requests", protocol });
  if (outcome === undefined) return absent;
  if (!outcome.answered) return refusedByAdapter(outcome);
  const { value } = outcome;
  // Adapters know devices by other names.
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return judged(isObject ? { ...value, id } : value, type, answer);
}

/**
 * One list of what all adapters answer that have an answer, empty where none has. One that fails answers nothing,
 * unless it is alone.
 */
export async function askEvery({ type }: Asked, answer: Type.TSchema, { hub }: Call): Promise<unknown> {
  const protocols = await hub.offering(requestOf(type));
  const items: unknown[] = [];
  let failure: Refused | undefined;
  for (const protocol of protocols) {
    const outcome = await hub.ask({ type: requestOf(type) }, { among: "requests", protocol });
    if (outcome?.answered === false) failure = refusedByAdapter(outcome);
    if (outcome?.answered === true) {
      const list = judged(outcome.value, type, answer);
      if (list instanceof Refused) failure = list;
      else items.push(...(list as unknown[]));
    }
  }
  return items.length === 0 && failure !== undefined ? failure : items;
}

const validators = new Map<Type.TSchema, Validator>();

/** What an adapter says, without what no client is to see; a refusal when it is no answer at all. */
function judged(value: unknown, type: string, answer: Type.TSchema): unknown {
  const known = Clean(answer, structuredClone(value));
  let validator = validators.get(answer);
  if (validator === undefined) {
    validator = Compile(answer);
    validators.set(answer, validator);
  }
  return validator.Check(known) ? known : new Refused(502, `the adapter's answer to ${type} is none`);
}
