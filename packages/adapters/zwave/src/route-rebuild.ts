import type { ZWaveController } from "zwave-js";
import type { Radio } from "./radio.ts";

export type RebuildStatus = "IDLE" | "RUNNING" | "DONE" | "CANCEL" | "ERROR";

/** How far the rebuild of a node's routes is, by the library's words. */
type NodeProgress = "pending" | "skipped" | "failed" | "done";

/** Rebuilds the routes of the network or of a node, which takes minutes. */
export class RouteRebuild {
  readonly #radio: Radio;
  #status: RebuildStatus = "IDLE";
  #nodes: ReadonlyMap<number, NodeProgress> = new Map();

  constructor(radio: Radio) {
    this.#radio = radio;
  }

  get state(): object {
    const nodes = [...this.#nodes].map(([nodeId, status]) => ({ nodeId, status }));
    return { status: this.#status, nodes };
  }

  follow(controller: ZWaveController): void {
    controller.on("rebuild routes progress", (nodes) => (this.#nodes = new Map(nodes)));
    controller.on("rebuild routes done", (nodes) => {
      this.#nodes = new Map(nodes);
      this.#status = "DONE";
    });
  }

  /** Begins with all nodes; while one rebuild runs, nothing more. @throws AdapterError */
  startAll(): void {
    const controller = this.#radio.controller();
    if (this.#status === "RUNNING") return;
    this.#nodes = new Map();
    this.#status = "RUNNING";
    controller.beginRebuildingRoutes();
  }

  /** Begins with one node. @throws AdapterError */
  start(id: number): void {
    const controller = this.#radio.controller();
    if (this.#status === "RUNNING") return;
    const end = (progress: NodeProgress): void => {
      if (this.#radio.driver?.controller !== controller || this.#status !== "RUNNING") return;
      this.#nodes = new Map([[id, progress]]);
      this.#status = "DONE";
    };
    this.#nodes = new Map([[id, "pending"]]);
    this.#status = "RUNNING";
    controller.rebuildNodeRoutes(id).then(
      (isDone) => end(isDone ? "done" : "failed"),
      () => end("failed"),
    );
  }

  cancel(): void {
    if (this.#status !== "RUNNING") return;
    this.#radio.driver?.controller.stopRebuildingRoutes();
    this.#status = "CANCEL";
  }

  /** The network is not up any more. */
  closed(): void {
    if (this.#status === "RUNNING") this.#status = "ERROR";
  }
}
