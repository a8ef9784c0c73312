import type { IncomingMessage } from "node:http";
import type { AddressRates, RequestFigures } from "@ledge/link";
import type { Authentication } from "./auth.ts";
import type { Listener } from "./listener.ts";
import type { HubPorts } from "./ports.ts";
import type { Api } from "./row.ts";

/** What a listener is opened with. */
export interface Opening {
  readonly ports: HubPorts;
  readonly listener: Listener;
  readonly auth: Authentication;
  readonly figures: RequestFigures;
  readonly api: Api;
  readonly addressOf: (incoming: IncomingMessage | undefined) => string;
  readonly keyShown: (incoming: IncomingMessage, user: string | undefined) => void;
  readonly bodyBytes: number;
  readonly addressRates: AddressRates;
}
