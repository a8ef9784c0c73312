import type { Reply } from "../cluster.ts";
import { Cluster } from "../cluster.ts";
import { ByteReader, write } from "../zcl/bytes.ts";
import type { Status } from "../zcl/status.ts";
import { status } from "../zcl/status.ts";

interface Scene {
  readonly group: number;
  readonly scene: number;
  readonly transitionMs: number;
  readonly name: string;
  /** The octets of the fields, by cluster. */
  readonly fields: ReadonlyMap<number, Uint8Array>;
}

const capacity = 16;
/** Clusters whose state is part of a scene. */
const kept = [0x0006, 0x0008, 0x0300, 0x0102];

type Name = "sceneCount" | "currentScene" | "currentGroup" | "sceneValid" | "nameSupport";

/** Scenes stored in the device (0x0005). */
export class Scenes extends Cluster<Name> {
  readonly #scenes: Map<string, Scene> = new Map();

  constructor() {
    super(0x0005, {
      sceneCount: { id: 0x0000, type: "uint8", value: 0 },
      currentScene: { id: 0x0001, type: "uint8", value: 0 },
      currentGroup: { id: 0x0002, type: "uint16", value: 0 },
      sceneValid: { id: 0x0003, type: "bool", value: false },
      nameSupport: { id: 0x0004, type: "map8", value: 0x80 },
    });
    this.on(0x00, (payload) => this.#add(payload));
    this.on(0x01, (payload) => this.#view(payload.uint16(), payload.uint8()));
    this.on(0x02, (payload) => this.#remove(payload.uint16(), payload.uint8()));
    this.on(0x03, (payload) => this.#removeAll(payload.uint16()));
    this.on(0x04, (payload) => this.#store(payload.uint16(), payload.uint8()));
    this.on(0x05, (payload) => this.#recall(payload.uint16(), payload.uint8()));
    this.on(0x06, (payload) => this.#membership(payload.uint16()));
  }

  override forget(): void {
    this.#scenes.clear();
    this.#count();
  }

  forgetGroup(group: number): void {
    for (const [key, scene] of this.#scenes) if (scene.group === group) this.#scenes.delete(key);
    this.#count();
  }

  #add(payload: ByteReader): Reply {
    const [group, scene] = [payload.uint16(), payload.uint8()];
    const transitionMs = payload.uint16() * 1000;
    const name = payload.text();
    const fields = new Map<number, Uint8Array>();
    while (payload.remaining > 0) fields.set(payload.uint16(), payload.bytes(payload.uint8()));
    return answer(0x00, this.#keep({ group, scene, transitionMs, name, fields }), group, scene);
  }

  #view(group: number, id: number): Reply {
    const scene = this.#scenes.get(`${group}/${id}`);
    if (!scene) return answer(0x01, status.notFound, group, id);
    const to = write().uint8(status.success).uint16(group).uint8(id);
    to.uint16(Math.round(scene.transitionMs / 1000)).text(scene.name);
    for (const [cluster, octets] of scene.fields) to.uint16(cluster).uint8(octets.length).bytes(octets);
    return { command: 0x01, payload: to.done() };
  }

  #remove(group: number, scene: number): Reply {
    const found = this.#scenes.delete(`${group}/${scene}`);
    this.#count();
    return answer(0x02, found ? status.success : status.notFound, group, scene);
  }

  #removeAll(group: number): Reply {
    this.forgetGroup(group);
    return { command: 0x03, payload: write().uint8(status.success).uint16(group).done() };
  }

  #store(group: number, scene: number): Reply {
    const fields = new Map<number, Uint8Array>();
    for (const id of kept) {
      const octets = this.host.sibling(id)?.sceneFields();
      if (octets) fields.set(id, octets);
    }
    const former = this.#scenes.get(`${group}/${scene}`);
    const { transitionMs, name } = former ?? { transitionMs: 0, name: "" };
    return answer(0x04, this.#keep({ group, scene, transitionMs, name, fields }), group, scene);
  }

  #recall(group: number, id: number): Status {
    const scene = this.#scenes.get(`${group}/${id}`);
    if (!scene) return status.notFound;
    for (const [cluster, octets] of scene.fields) {
      this.host.sibling(cluster)?.recall(new ByteReader(octets), scene.transitionMs);
    }
    this.set({ currentScene: id, currentGroup: group, sceneValid: true });
    return status.success;
  }

  #membership(group: number): Reply {
    const found = [...this.#scenes.values()].filter((scene) => scene.group === group);
    const to = write()
      .uint8(status.success)
      .uint8(capacity - this.#scenes.size)
      .uint16(group);
    to.uint8(found.length);
    for (const { scene } of found) to.uint8(scene);
    return { command: 0x06, payload: to.done() };
  }

  #keep(scene: Scene): Status {
    const groups = this.host.sibling(0x0004) as { members?: ReadonlySet<number> } | undefined;
    if (scene.group !== 0 && !groups?.members?.has(scene.group)) return status.invalidField;
    const key = `${scene.group}/${scene.scene}`;
    if (this.#scenes.size >= capacity && !this.#scenes.has(key)) return status.insufficientSpace;
    this.#scenes.set(key, scene);
    this.#count();
    return status.success;
  }

  #count(): void {
    this.set({ sceneCount: this.#scenes.size });
  }
}

function answer(command: number, result: Status, group: number, scene: number): Reply {
  return { command, payload: write().uint8(result).uint16(group).uint8(scene).done() };
}
