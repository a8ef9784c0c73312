import type { Relay } from "../relay/relay.ts";

/** Calls the API of hubs for their users, through the tunnels. */
export class HubCalls {
  readonly #relay: Pick<Relay, "tunnels">;

  constructor(relay: Pick<Relay, "tunnels">) {
    this.#relay = relay;
  }

  /** Returns whether a hub is connected to the cloud now. */
  isConnected(hubId: string): boolean {
    return this.#relay.tunnels.of(hubId) !== undefined;
  }
}
