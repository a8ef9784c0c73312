import { type Decision, limits, reject } from "@ledge/model";
import type { EgressCommand } from "./egress-commands.ts";
import type { EgressEvent } from "./egress-events.ts";
import type { DeadLetter, EgressTarget } from "./egress-state.ts";

type DeliveryCommand = Exclude<
  EgressCommand,
  {
    type:
      | "CREATE_EGRESS_TARGET"
      | "UPDATE_EGRESS_TARGET"
      | "ROTATE_EGRESS_SECRET"
      | "DELETE_EGRESS_TARGET"
      | "CLOSE_EGRESS";
  }
>;

/** Decides what becomes of the delivery to a target. What is so already is no event. */
export function decideDelivery(command: DeliveryCommand, held: EgressTarget): Decision<EgressEvent> {
  const { id } = command;
  const targetId = held.id;
  switch (command.type) {
    case "STOP_EGRESS_TARGET":
      return held.isEnabled ? [{ type: "EgressTargetStopped", id, targetId, reason: command.reason }] : [];
    case "NOTE_EGRESS_OWNERS_TOLD":
      return held.stop?.isTold === false ? [{ type: "EgressOwnersTold", id, targetId }] : [];
    case "NOTE_EGRESS_FAILING":
      if (held.failingSince !== null) return [];
      return [{ type: "EgressFailing", id, targetId, since: command.since }];
    case "NOTE_EGRESS_RECOVERED":
      return held.failingSince === null ? [] : [{ type: "EgressRecovered", id, targetId }];
    case "GIVE_UP_EGRESS_BATCH": {
      const { batchId, first, last, events, reason } = command;
      const known = held.deadLetters.find((one) => one.batchId === batchId);
      if (known?.isReplayed === false) return [];
      return [{ type: "EgressBatchRefused", id, targetId, batchId, first, last, events, reason }];
    }
    case "REPLAY_EGRESS": {
      const { batchId } = command;
      const dead = held.deadLetters.filter((one) => batchId === undefined || one.batchId === batchId);
      if (batchId !== undefined && dead.length === 0)
        return reject("not-found", `there is no dead letter ${batchId}`, "batchId");
      const batchIds = dead.filter(({ isReplayed }) => !isReplayed).map((one) => one.batchId);
      return batchIds.length === 0 ? [] : [{ type: "EgressReplayAsked", id, targetId, batchIds }];
    }
    case "DROP_DEAD_LETTERS": {
      const batchIds = held.deadLetters
        .map((one) => one.batchId)
        .filter((batchId) => command.batchIds.includes(batchId));
      return batchIds.length === 0 ? [] : [{ type: "EgressDeadLettersLeft", id, targetId, batchIds }];
    }
  }
}

/** Returns a target after an event; undefined when it is gone. */
export function targetAfter(
  held: EgressTarget | undefined,
  event: Exclude<EgressEvent, { type: "EgressClosed" }>,
  timestamp: number,
): EgressTarget | undefined {
  if (event.type === "EgressTargetCreated") {
    const { targetId, settings, isEnabled, secret } = event;
    const idle = { stop: null, failingSince: null, deadLetters: [] };
    return { id: targetId, settings, isEnabled, secret, former: null, ...idle, since: timestamp };
  }
  if (held === undefined) return undefined;
  switch (event.type) {
    case "EgressTargetUpdated": {
      const { settings, isEnabled } = event;
      if (!isEnabled || held.isEnabled) return { ...held, settings, isEnabled };
      // A person who disabled it wanted no events of that time. After the cloud has done it, they are still due.
      const since = held.stop === null ? timestamp : held.since;
      return { ...held, settings, isEnabled, since, stop: null, failingSince: null };
    }
    case "EgressSecretRotated": {
      const former = { secret: held.secret, until: timestamp + limits.egressSecretOverlapMs };
      return { ...held, secret: event.secret, former };
    }
    case "EgressTargetDeleted":
      return undefined;
    case "EgressTargetStopped":
      return { ...held, isEnabled: false, stop: { reason: event.reason, isTold: false } };
    case "EgressOwnersTold":
      return { ...held, stop: held.stop && { ...held.stop, isTold: true } };
    case "EgressFailing":
      return { ...held, failingSince: event.since };
    case "EgressRecovered":
      return { ...held, failingSince: null };
    case "EgressBatchRefused": {
      const { batchId, first, last, events, reason } = event;
      const letter = { batchId, first, last, events, reason, at: timestamp, isReplayed: false };
      const others = held.deadLetters.filter((one) => one.batchId !== batchId);
      return { ...held, deadLetters: [...others, letter].slice(-limits.egressDeadLetters) };
    }
    case "EgressReplayAsked": {
      const asked = new Set(event.batchIds);
      const after = (one: DeadLetter): DeadLetter =>
        asked.has(one.batchId) ? { ...one, isReplayed: true } : one;
      return { ...held, deadLetters: held.deadLetters.map(after) };
    }
    case "EgressDeadLettersLeft": {
      const gone = new Set(event.batchIds);
      return { ...held, deadLetters: held.deadLetters.filter(({ batchId }) => !gone.has(batchId)) };
    }
  }
}
