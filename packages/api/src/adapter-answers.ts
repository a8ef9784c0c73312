import type { Command } from "@ledge/model";
import type { AdapterRequest, Asking, RequestOutcome } from "./ports.ts";
import { notFound, type Problem, Refused } from "./refused.ts";
import type { Call } from "./row.ts";
import { submitFor } from "./submit.ts";

/** What an adapter's refusal is over HTTP; its codes are the port's `AdapterErrorCode`. */
const statuses: ReadonlyMap<string, number> = new Map([
  ["settings", 422],
  ["refused", 422],
  ["unsupported", 422],
  ["timeout", 504],
]);

/** A request that an adapter did not carry out. Its message may begin with the field that is wrong, `name: …`. */
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
 * The answer of the adapter that offers a request.
 * @param absent what a hub says that has no such adapter.
 */
export async function askFirst<Answer>(
  { hub }: Call,
  request: AdapterRequest,
  absent: string,
  protocol?: string,
): Promise<Answer | Refused> {
  const outcome = await hub.ask(request, { among: "requests", ...(protocol !== undefined && { protocol }) });
  if (outcome === undefined) return notFound(absent);
  return outcome.answered ? (outcome.value as Answer) : refusedByAdapter(outcome);
}

/** What is written down before an adapter is asked to act: by whom, for what, of which device, and no secret. */
export function askedFor({ hub }: Call, request: string, device: string | null): Command {
  return { type: "NOTE_ASKED", id: hub.hubId, request, device } as Command;
}

/** Writes down that an adapter is about to be asked, where there is one. */
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

/** As `askFirst`, for rows that have an adapter act and say no more than that it is done. */
export async function doneBy(
  call: Call,
  request: AdapterRequest,
  absent: string,
  protocol?: string,
): Promise<true | Refused> {
  const refused = await noteAsked(call, request.type);
  if (refused !== undefined) return refused;
  const answer = await askFirst(call, request, absent, protocol);
  return answer instanceof Refused ? answer : true;
}

/** An item of an adapter's list. */
interface Listed<Item> {
  readonly protocol: string;
  readonly item: Item;
}

/** What all adapters list that offer a request, each item with its protocol; one that does not run lists nothing. */
export async function askAll<Item>({ hub }: Call, type: string): Promise<Listed<Item>[]> {
  const items: Listed<Item>[] = [];
  for (const protocol of await hub.offering(type)) {
    const outcome = await hub.ask({ type }, { among: "requests", protocol });
    if (outcome?.answered !== true || !Array.isArray(outcome.value)) continue;
    items.push(...(outcome.value as Item[]).map((item) => ({ protocol, item })));
  }
  return items;
}
