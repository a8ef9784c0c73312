import type { Adapter, AdapterOffers, AdapterRequest, Groupcast } from "./adapter.ts";
import { AdapterError } from "./adapter.ts";
import type { PairingAction } from "./messages.ts";

/** What of an adapter the hub is told when it has started. */
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
 * Has an adapter answer a request.
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
    throw new AdapterError("unsupported", `the ${protocol} adapter knows no ${request.type}`);
  }
  return await answer(request, signal);
}

/**
 * Carries a pairing action out.
 * @throws AdapterError `unsupported` when the adapter pairs nothing.
 */
export async function pair({ protocol, pairing }: Adapter, action: PairingAction): Promise<void> {
  if (pairing === undefined)
    throw new AdapterError("unsupported", `the ${protocol} adapter pairs no devices`);
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

/** @throws AdapterError `unsupported` when the adapter reaches devices one by one only. */
export function groupcastOf({ protocol, groupcast }: Adapter): Groupcast {
  if (groupcast === undefined)
    throw new AdapterError("unsupported", `the ${protocol} adapter casts to no groups`);
  return groupcast;
}

/** The commands of a request among `protocolCommands`: one, or several of a type that may repeat. */
export function commandsOf({ commands }: AdapterRequest): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(commands) ? (commands as Readonly<Record<string, unknown>>[]) : [];
}
