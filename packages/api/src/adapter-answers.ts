import type { Command } from "@ledge/model";
import type { AdapterRequest, Asking, RequestOutcome } from "./ports.ts";
import { notFound, type Problem, Refused } from "./refused.ts";
import type { Call } from "./row.ts";
import { submitFor } from "./submit.ts";

/** HTTP statuses by the `AdapterErrorCode` of an adapter's refusal. */
const statuses: ReadonlyMap<string, number> = new Map([
  ["settings", 422],
  ["refused", 422],
  ["unsupported", 422],
  ["timeout", 504],
]);

/** Turns an adapter's failure into a refusal. Its message may begin with the wrong field, as in `name: …`. */
export function refusedByAdapter({ code, message }: Extract<RequestOutcome, { answered: false }>): Refused {
  const status = statuses.get(code) ?? 503;
  return new Refused(status, message, status === 422 ? problemsIn(message) : []);
}

function problemsIn(message: string): Problem[] {
  const { index, field, rest } =
    /^(?:\[(?<index>\d+)\]\.?)?(?<field>[\w.]*): (?<rest>.*)$/s.exec(message)?.groups ?? {};
  if (field === undefined || rest === undefined) return [];
  return [{ ...(index !== undefined && { index: Number(index) }), field, message: rest }];
}

/**
 * Returns the answer of the first adapter that offers a request.
 * @param absent the message if no adapter offers it
 */
export async function askFirst<Answer>(
  { hub }: Pick<Call, "hub">,
  request: AdapterRequest,
  absent: string,
  asking: Omit<Asking, "among"> = {},
): Promise<Answer | Refused> {
  const outcome = await hub.ask(request, { among: "requests", ...asking });
  if (outcome === undefined) return notFound(absent);
  return outcome.answered ? (outcome.value as Answer) : refusedByAdapter(outcome);
}

/** Returns the command that records a request to an adapter: type and device, without the request's secrets. */
export function askedFor({ hub }: Call, request: string, device: string | null): Command {
  return { type: "NOTE_ASKED", id: hub.hubId, request, device } as Command;
}

/** Records a request before an adapter gets it, if an adapter offers it. */
export async function noteAsked(
  call: Call,
  request: string,
  among: Asking["among"] = "requests",
): Promise<Refused | undefined> {
  if ((await call.hub.offering(request, among)).length === 0) return undefined;
  return submitFor(call, [askedFor(call, request, null)], undefined);
}

/**
 * As `askFirst`, for rows that read.
 * @param empty what a hub says that has no such adapter: clients in the field end at what is refused
 */
export async function readFirst<Answer>(
  { hub }: Call,
  request: AdapterRequest,
  empty: Answer,
): Promise<Answer | Refused> {
  const outcome = await hub.ask(request, { among: "requests" });
  if (outcome === undefined) return empty;
  return outcome.answered ? (outcome.value as Answer) : refusedByAdapter(outcome);
}

/** Records a request, then asks as `askFirst` does. For rows that answer no more than success. */
export async function doneBy(
  call: Call,
  request: AdapterRequest,
  absent: string,
  protocol?: string,
): Promise<true | Refused> {
  const refused = await noteAsked(call, request.type);
  if (refused !== undefined) return refused;
  const answer = await askFirst(call, request, absent, protocol === undefined ? {} : { protocol });
  return answer instanceof Refused ? answer : true;
}

/** An item of an adapter's list. */
interface Listed<Item> {
  readonly protocol: string;
  readonly item: Item;
}

/** Joins the lists of all adapters that offer a request, with each item's protocol. Skips adapters that fail. */
export async function askAll<Item>({ hub }: Call, type: string): Promise<Listed<Item>[]> {
  const items: Listed<Item>[] = [];
  for (const protocol of await hub.offering(type)) {
    const outcome = await hub.ask({ type }, { among: "requests", protocol });
    if (outcome?.answered !== true || !Array.isArray(outcome.value)) continue;
    items.push(...(outcome.value as Item[]).map((item) => ({ protocol, item })));
  }
  return items;
}
