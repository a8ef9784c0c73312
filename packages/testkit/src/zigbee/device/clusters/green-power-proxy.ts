import { Cluster } from "../cluster.ts";
import type { ByteReader } from "../zcl/bytes.ts";

/** Commands of the Green Power cluster (14-0563-19, A.3.3.4 and A.3.3.5). */
const command = { notification: 0x00, commissioning: 0x04, pairing: 0x01, commissioningMode: 0x02 } as const;
const sinkEndpoint = 242;

/** The Green Power endpoint of a router (0x0021): it passes frames of switches without a battery on. */
export class GreenPowerProxy extends Cluster<never> {
  /** Whether the sink wants to hear of switches that are new. */
  isCommissioning = false;
  /** The switches whose frames it passes on, by source id. */
  readonly paired = new Set<number>();

  constructor() {
    super(0x0021, {}, { side: "client" });
    this.on(command.commissioningMode, (payload) => {
      this.isCommissioning = (payload.uint8() & 1) === 1;
      return null;
    });
    this.on(command.pairing, (payload) => this.#pair(payload));
  }

  /** Passes a commissioning frame on, while the sink wants that. */
  commission(frame: Uint8Array): void {
    if (this.isCommissioning) this.#tell(command.commissioning, frame);
  }

  /** Passes a frame of a switch on, if that is paired. */
  notify(sourceId: number, frame: Uint8Array): void {
    if (this.paired.has(sourceId)) this.#tell(command.notification, frame);
  }

  #pair(payload: ByteReader): null {
    const options = payload.uint(3);
    const sourceId = payload.uint32();
    const [addsSink, removes] = [(options & 0x08) !== 0, (options & 0x10) !== 0];
    if (removes) this.paired.delete(sourceId);
    else if (addsSink) this.paired.add(sourceId);
    return null;
  }

  #tell(id: number, payload: Uint8Array): void {
    this.host.sendTo(sinkEndpoint, this, { command: id, payload });
  }
}
