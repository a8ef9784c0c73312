import type { Reply } from "../cluster.ts";
import { Cluster } from "../cluster.ts";
import type { ByteReader } from "../zcl/bytes.ts";
import { write } from "../zcl/bytes.ts";
import { status } from "../zcl/status.ts";
import type { Scenes } from "./scenes.ts";

const capacity = 16;

/** Groups in which an endpoint is (0x0004). */
export class Groups extends Cluster<"nameSupport"> {
  readonly #names: Map<number, string> = new Map();

  constructor() {
    super(0x0004, { nameSupport: { id: 0x0000, type: "map8", value: 0x80 } });
    this.on(0x00, (payload) => this.#add(payload));
    this.on(0x01, (payload) => this.#view(payload.uint16()));
    this.on(0x02, (payload) => this.#membership(payload));
    this.on(0x03, (payload) => this.#remove(payload.uint16()));
    this.on(0x04, () => this.forget() as undefined);
    this.on(0x05, (payload) => {
      const identify = this.host.sibling(0x0003);
      if (identify && identify.number("identifyTime") > 0) this.#add(payload);
      return undefined;
    });
  }

  get members(): ReadonlySet<number> {
    return new Set(this.#names.keys());
  }

  override forget(): void {
    for (const group of this.#names.keys()) this.#scenes?.forgetGroup(group);
    this.#names.clear();
  }

  get #scenes(): Scenes | undefined {
    return this.host.sibling(0x0005) as Scenes | undefined;
  }

  #add(payload: ByteReader): Reply {
    const group = payload.uint16();
    const name = payload.remaining > 0 ? payload.text() : "";
    const isFull = this.#names.size >= capacity && !this.#names.has(group);
    if (!isFull) this.#names.set(group, name);
    return answer(0x00, isFull ? status.insufficientSpace : status.success, group);
  }

  #view(group: number): Reply {
    const name = this.#names.get(group);
    const { command, payload } = answer(0x01, name === undefined ? status.notFound : status.success, group);
    return {
      command,
      payload: write()
        .bytes(payload)
        .text(name ?? "")
        .done(),
    };
  }

  #membership(payload: ByteReader): Reply {
    const asked = Array.from({ length: payload.uint8() }, () => payload.uint16());
    const found = [...this.#names.keys()].filter((group) => asked.length === 0 || asked.includes(group));
    const to = write()
      .uint8(capacity - this.#names.size)
      .uint8(found.length);
    for (const group of found) to.uint16(group);
    return { command: 0x02, payload: to.done() };
  }

  #remove(group: number): Reply {
    this.#scenes?.forgetGroup(group);
    return answer(0x03, this.#names.delete(group) ? status.success : status.notFound, group);
  }
}

function answer(command: number, result: number, group: number): Reply {
  return { command, payload: write().uint8(result).uint16(group).done() };
}
