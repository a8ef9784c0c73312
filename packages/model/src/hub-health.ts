import Type from "typebox";
import { orNull } from "./schema.ts";

const Bytes = Type.Integer({ minimum: 0 });
const Moment = Type.Integer({ description: "ms since the epoch" });

/** What is wrong with a hub, in the reader's language. */
const HubTrouble = Type.Object({
  /** Such as `ADAPTER_RESTING`. */
  code: Type.String(),
  /** `error`: something does not work; `warn`: it soon may not, or less well. */
  level: Type.Enum(["error", "warn"]),
  /** A protocol, a file or a port; null: the hub itself. */
  of: orNull(Type.String()),
  text: Type.String(),
  remedy: Type.String(),
  /** What the hub knows beyond that, in English. */
  reason: orNull(Type.String()),
});
export type HubTrouble = Type.Static<typeof HubTrouble>;

const facts = {
  at: Moment,
  release: Type.String(),
  /** Of the API, four components. */
  version: Type.String(),
  profile: Type.String(),
  upMs: Type.Integer(),
  /** As `GET /healthz` has it. */
  state: Type.String(),
  reason: orNull(Type.String()),
  adapters: Type.Array(
    Type.Object({
      protocol: Type.String(),
      /** `starting`, `running`, `restarting`, `resting` after too many failures, or `stopped`. */
      state: Type.String(),
      /** How often it failed lately. */
      failures: Type.Integer(),
      reason: orNull(Type.String()),
    }),
  ),
  /** Sticks that adapters use. */
  radios: Type.Array(
    Type.Object({
      port: Type.String(),
      model: orNull(Type.String()),
      protocol: Type.String(),
      /** Null: nobody can tell without opening it. */
      isThere: orNull(Type.Boolean()),
    }),
  ),
  log: Type.Object({
    fileBytes: Bytes,
    usedBytes: Bytes,
    quotaBytes: orNull(Bytes),
    quotaExceeded: Type.Boolean(),
    bytesPerDay: Type.Number(),
    /** From then on it holds every report; null: from its beginning. */
    wholeSince: orNull(Moment),
    /** How the journal is written: `direct` or slower. */
    journalMode: Type.String(),
  }),
  /** The index of what devices reported. */
  history: Type.Object({
    /** `off`, `behind`, `ready` or `failed`. */
    state: Type.String(),
    reason: orNull(Type.String()),
    upTo: orNull(Moment),
    usedBytes: Bytes,
    quotaBytes: orNull(Bytes),
  }),
  /** The disk with the data folder; null where it cannot be measured. */
  disk: orNull(Type.Object({ freeBytes: Bytes, totalBytes: Bytes })),
  memory: Type.Object({
    /** Resident memory of the hub's own process. */
    processBytes: Bytes,
    availableBytes: Bytes,
    totalBytes: Bytes,
  }),
  clock: Type.Object({ trusted: Type.Boolean() }),
  /** Null: the hub has no cloud. `clone`: why another hub is taken for this one. */
  cloud: orNull(Type.Object({ url: Type.String(), connected: Type.Boolean(), clone: orNull(Type.String()) })),
  https: Type.Object({
    served: Type.Boolean(),
    problem: orNull(Type.String()),
    /** Until when the certificate is valid. */
    until: orNull(Moment),
    /** `good`, `expiring` or `expired`. */
    expiry: orNull(Type.String()),
  }),
  /** Files of the data folder that should be there. */
  lost: Type.Array(Type.Object({ file: Type.String(), problem: Type.String() })),
  counts: Type.Record(Type.String(), Type.Integer()),
};

/** What the hub knows of itself, before it is judged. */
export const HubFacts = Type.Object(facts);
export type HubFacts = Type.Static<typeof HubFacts>;

/** How a hub fares. Troubles that stop it come first. */
export const HubHealth = Type.Object({
  type: Type.Literal("HUB_HEALTH"),
  ...facts,
  troubles: Type.Array(HubTrouble),
});
export type HubHealth = Type.Static<typeof HubHealth>;
