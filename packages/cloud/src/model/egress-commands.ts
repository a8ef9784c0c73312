import type { DeadLetter, EgressSettings, EgressStop } from "./egress-state.ts";

export type EgressCommand =
  | {
      type: "CREATE_EGRESS_TARGET";
      id: string;
      targetId: string;
      settings: EgressSettings;
      isEnabled: boolean;
      secret: string;
    }
  /** Replaces it whole. A header that is `hiddenHeader` keeps its value. */
  | {
      type: "UPDATE_EGRESS_TARGET";
      id: string;
      targetId: string;
      settings: EgressSettings;
      isEnabled: boolean;
    }
  | { type: "ROTATE_EGRESS_SECRET"; id: string; targetId: string; secret: string }
  | { type: "DELETE_EGRESS_TARGET"; id: string; targetId: string }
  /** Disables a target for the cloud. */
  | { type: "STOP_EGRESS_TARGET"; id: string; targetId: string; reason: EgressStop["reason"] }
  | { type: "NOTE_EGRESS_OWNERS_TOLD"; id: string; targetId: string }
  | { type: "NOTE_EGRESS_FAILING"; id: string; targetId: string; since: number }
  | { type: "NOTE_EGRESS_RECOVERED"; id: string; targetId: string }
  | ({ type: "GIVE_UP_EGRESS_BATCH"; id: string; targetId: string } & Omit<DeadLetter, "at" | "isReplayed">)
  /** Sends dead letters again: these, or all. */
  | { type: "REPLAY_EGRESS"; id: string; targetId: string; batchId?: string }
  | { type: "DROP_DEAD_LETTERS"; id: string; targetId: string; batchIds: readonly string[] }
  /** Deletes all targets of a site. */
  | { type: "CLOSE_EGRESS"; id: string };
