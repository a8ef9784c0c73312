import type { Adapter, AdapterOffers, AdapterRequest, Groupcast } from "./adapter.ts";
import { AdapterError } from "./adapter.ts";
import type { PairingAction } from "./messages.ts";

/** Returns what an adapter offers, for the hub to know when it has started. */
export function offersOf({
  pairing,
  groupcast,
  protocolCommands = {},
  requests = {},
}: Adapter): AdapterOffers {
  return {
    pairing: pairing !== undefined,
    groupcast: groupcast?.radios ?? [],
    protocolCommands: Object.keys(protocolCommands),
    requests: Object.keys(requests),
  };
}

/**
 * Lets an adapter answer a request.
 * @throws AdapterError `unsupported` for a type that it does not offer.
 */
export async function answerRequest(
  { protocol, protocolCommands = {}, requests = {} }: Adapter,
  request: AdapterRequest,
  signal: AbortSignal,
): Promise<unknown> {
  const table = [protocolCommands, requests].find((each) => Object.hasOwn(each, request.type));
  const answer = table?.[request.type];
  if (answer === undefined) {
    throw new AdapterError("unsupported", `the ${protocol} adapter does not know ${request.type}`);
  }
  return await answer(request, signal);
}

/**
 * Carries out a pairing action.
 * @throws AdapterError `unsupported` when the adapter cannot pair.
 */
export async function pair({ protocol, pairing }: Adapter, action: PairingAction): Promise<void> {
  if (pairing === undefined)
    throw new AdapterError("unsupported", `the ${protocol} adapter does not pair devices`);
  switch (action.type) {
    case "open":
      await pairing.open(action.windowMs);
      return;
    case "close":
      await pairing.close();
      return;
    case "keep":
      await pairing.keep(action.native);
      return;
    case "discard":
      await pairing.discard(action.native);
  }
}

/**
 * Returns the adapter's groupcast.
 * @throws AdapterError `unsupported` when the adapter reaches devices only one by one.
 */
export function groupcastOf({ protocol, groupcast }: Adapter): Groupcast {
  if (groupcast === undefined)
    throw new AdapterError("unsupported", `the ${protocol} adapter does not cast to groups`);
  return groupcast;
}

/** Returns the commands of a `protocolCommands` request: one, or several of a type that may repeat. */
export function commandsOf({ commands }: AdapterRequest): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(commands) ? (commands as Readonly<Record<string, unknown>>[]) : [];
}
