import { Cluster } from "../cluster.ts";

/** The sending side of a cluster, as in remotes. Its commands go to its bindings. */
export class Client extends Cluster<never> {
  constructor(id: number) {
    super(id, {}, { side: "client" });
  }

  tell(
    command: number,
    payload: readonly number[] = [],
    manufacturer: number | null = this.manufacturer,
  ): void {
    this.host.sendToBound(this, { command, payload: Uint8Array.from(payload), manufacturer });
  }
}
