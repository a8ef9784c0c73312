import { isNewer } from "./version-order.ts";

/** The two root file systems of a machine. One runs, an update is written to the other. */
export type Slot = "A" | "B";

/** What the boot loader's state says. A slot that an update was written to is not good before its trial has ended. */
export interface SlotFacts {
  /** The slot that runs. */
  readonly booted: Slot;
  /** The slot of the next boot. */
  readonly primary: Slot;
  readonly isGood: Readonly<Record<Slot, boolean>>;
}

/** What a bundle or a running hub is. */
export interface Release {
  readonly version: string;
  /** Name of the board's profile. */
  readonly profile: string;
  /** All that its log may hold: kinds of frames and events with their versions. */
  readonly formats: readonly string[];
}

/** The release that a machine can go back to. */
export interface Previous {
  readonly version: string;
  readonly slot: Slot;
  /** When the copy of the data folder was made that it would go back to (ms); null: it reads the log as it is. */
  readonly since: number | null;
}

/** How the last update ended. */
export interface Outcome {
  readonly result: "INSTALLED" | "FAILED" | "ROLLED_BACK";
  readonly version: string | null;
  readonly message: string | null;
  /** When (ms since the epoch). */
  readonly at: number;
}

interface Move {
  /** The release that runs, and its slot. */
  readonly from: string;
  readonly slot: Slot;
}

/** Formats that the old release does not read: its data folder is copied before the new one writes. */
interface Target extends Move {
  readonly to: string;
  readonly unreadable: readonly string[];
}

export type Stage =
  /** `left`: an installation that was interrupted; the program that writes the slot may have finished it. */
  | { readonly phase: "IDLE"; readonly left?: Target }
  /** The bundle is fetched, then checked. */
  | ({ readonly phase: "FETCHING" | "CHECKING" } & Move)
  /** The other slot is written, then waits for the reboot, then runs on trial. */
  | ({ readonly phase: "INSTALLING" | "INSTALLED" } & Target)
  | ({ readonly phase: "TRIAL"; readonly since: number } & Target)
  /** Somebody wants the previous release back; it runs after the reboot. */
  | ({ readonly phase: "RETURNING"; readonly to: Previous } & Move);

/** What is kept of updates, in a file beside the log, so that both releases read it whatever becomes of the log. */
export interface UpdateState {
  readonly stage: Stage;
  readonly previous: Previous | null;
  readonly outcome: Outcome | null;
}

export const noUpdate: UpdateState = { stage: { phase: "IDLE" }, previous: null, outcome: null };

export type UpdateCommand =
  | { readonly type: "REQUEST"; readonly running: Release; readonly slots: SlotFacts }
  | { readonly type: "NOTE_FETCHED" }
  | { readonly type: "NOTE_CHECKED"; readonly running: Release; readonly bundle: Release }
  | { readonly type: "NOTE_INSTALLED" }
  | { readonly type: "NOTE_FAILED"; readonly message: string }
  /** The hub starts. */
  | { readonly type: "NOTE_STARTED"; readonly slots: SlotFacts }
  /** The hub has served long enough with a whole log, and the slot is marked good. */
  | { readonly type: "NOTE_HEALTHY" }
  | { readonly type: "ROLL_BACK"; readonly running: Release; readonly slots: SlotFacts };

export type UpdateEvent =
  | { readonly type: "UpdateRequested"; readonly move: Move }
  | { readonly type: "BundleFetched" }
  | { readonly type: "BundleAccepted"; readonly to: string; readonly unreadable: readonly string[] }
  | { readonly type: "SlotWritten" }
  | { readonly type: "TrialBegun" }
  | { readonly type: "UpdateConfirmed" }
  | { readonly type: "UpdateFailed"; readonly message: string }
  | { readonly type: "RollbackRequested"; readonly move: Move }
  /** `since`: the copy of the data folder that counts from now on was made then (ms); null: the log goes on. */
  | {
      readonly type: "UpdateRolledBack";
      readonly version: string;
      readonly message: string;
      readonly since: number | null;
    };

/** Why a command cannot be carried out, for the person who asked. */
export interface UpdateRefusal {
  readonly refusal: string;
}

export type UpdateDecision = readonly UpdateEvent[] | UpdateRefusal;

/** Decides what a command does. It answers a refusal, or events, none when nothing changes. */
export function decideUpdate(state: UpdateState, command: UpdateCommand): UpdateDecision {
  const { stage } = state;
  switch (command.type) {
    case "REQUEST":
      return request(state, command);
    case "NOTE_FETCHED":
      return stage.phase === "FETCHING" ? [{ type: "BundleFetched" }] : [];
    case "NOTE_CHECKED":
      return stage.phase === "CHECKING" ? accept(command.bundle, command.running) : [];
    case "NOTE_INSTALLED":
      return stage.phase === "INSTALLING" ? [{ type: "SlotWritten" }] : [];
    case "NOTE_FAILED":
      return isRunning(stage) ? [{ type: "UpdateFailed", message: command.message }] : [];
    case "NOTE_STARTED":
      return start(stage, command.slots);
    case "NOTE_HEALTHY":
      return stage.phase === "TRIAL" ? [{ type: "UpdateConfirmed" }] : [];
    case "ROLL_BACK":
      return rollBack(state, command);
  }
}

/** @param at when the event happened (ms since the epoch) */
export function evolveUpdate(state: UpdateState, event: UpdateEvent, at: number): UpdateState {
  const { stage } = state;
  const ended = (result: Outcome["result"], version: string | null, message: string | null): UpdateState => ({
    ...state,
    stage: { phase: "IDLE" },
    outcome: { result, version, message, at },
  });
  switch (event.type) {
    case "UpdateRequested":
      return { ...state, stage: { phase: "FETCHING", ...event.move } };
    case "BundleFetched":
      return stage.phase === "FETCHING" ? { ...state, stage: { ...stage, phase: "CHECKING" } } : state;
    case "BundleAccepted": {
      if (stage.phase !== "CHECKING") return state;
      const { to, unreadable } = event;
      // The other slot is written from here on: what it held is gone.
      return { ...state, previous: null, stage: { ...stage, phase: "INSTALLING", to, unreadable } };
    }
    case "SlotWritten":
      return stage.phase === "INSTALLING" ? { ...state, stage: { ...stage, phase: "INSTALLED" } } : state;
    case "TrialBegun":
      if (stage.phase === "INSTALLED") return { ...state, stage: { ...stage, phase: "TRIAL", since: at } };
      if (stage.phase !== "IDLE" || stage.left === undefined) return state;
      return { ...state, stage: { ...stage.left, phase: "TRIAL", since: at } };
    case "UpdateConfirmed":
      if (stage.phase !== "TRIAL") return state;
      return { ...ended("INSTALLED", stage.to, null), previous: previousOf(stage) };
    case "UpdateFailed": {
      if (stage.phase !== "INSTALLING") return ended("FAILED", null, event.message);
      const { from, slot, to, unreadable } = stage;
      return {
        ...ended("FAILED", to, event.message),
        stage: { phase: "IDLE", left: { from, slot, to, unreadable } },
      };
    }
    case "RollbackRequested":
      if (state.previous === null) return state;
      return { ...state, stage: { phase: "RETURNING", to: state.previous, ...event.move } };
    case "UpdateRolledBack":
      return { ...ended("ROLLED_BACK", event.version, event.message), previous: null };
  }
}

/** Returns what the old release would lose of the log of the new one: formats that it does not read. */
export function unreadableBy(old: Release, fresh: Release): readonly string[] {
  const known = new Set(old.formats);
  return fresh.formats.filter((format) => !known.has(format));
}

/** Returns whether work on an update runs that ends with the hub's process. */
export function isRunning({ phase }: Stage): boolean {
  return phase === "FETCHING" || phase === "CHECKING" || phase === "INSTALLING";
}

function previousOf({ from, slot, since, unreadable }: Extract<Stage, { phase: "TRIAL" }>): Previous {
  return { version: from, slot, since: unreadable.length === 0 ? null : since };
}

const busy: Readonly<Record<Exclude<Stage["phase"], "IDLE">, string>> = {
  FETCHING: "an update is being fetched",
  CHECKING: "an update is being checked",
  INSTALLING: "an update is being installed",
  INSTALLED: "an update is installed: reboot the machine to try it",
  TRIAL: "an update is on trial: wait until it has served for a minute",
  RETURNING: "the machine goes back to the previous release: reboot it",
};

function request(
  { stage }: UpdateState,
  { running, slots }: Extract<UpdateCommand, { type: "REQUEST" }>,
): UpdateDecision {
  if (stage.phase !== "IDLE") return { refusal: busy[stage.phase] };
  // The slot that runs is what the machine falls back to.
  if (!slots.isGood[slots.booted]) return { refusal: `slot ${slots.booted} runs and is not good itself` };
  if (slots.primary !== slots.booted)
    return { refusal: `slot ${slots.primary} holds another release and is booted next: reboot the machine` };
  return [{ type: "UpdateRequested", move: { from: running.version, slot: slots.booted } }];
}

function accept(bundle: Release, running: Release): UpdateDecision {
  const failed = (message: string): UpdateDecision => [{ type: "UpdateFailed", message }];
  if (bundle.profile !== running.profile)
    return failed(`the bundle is for ${bundle.profile}, and this machine is ${running.profile}`);
  if (bundle.version === running.version) return failed(`release ${running.version} runs already`);
  if (!isNewer(bundle.version, running.version))
    return failed(`the bundle has release ${bundle.version}, older than ${running.version}, which runs`);
  const unreadable = unreadableBy(running, bundle);
  return [{ type: "BundleAccepted", to: bundle.version, unreadable }];
}

/** Decides what a start means: a power cut may have come at any moment, and the boot loader may have gone back. */
function start(stage: Stage, slots: SlotFacts): UpdateDecision {
  switch (stage.phase) {
    case "IDLE":
      return stage.left !== undefined && slots.booted !== stage.left.slot ? [{ type: "TrialBegun" }] : [];
    case "FETCHING":
    case "CHECKING":
      return [{ type: "UpdateFailed", message: "it was interrupted before anything was installed" }];
    case "INSTALLING":
      // The slot may have been written and switched to, with the power gone before that was noted.
      if (slots.booted !== stage.slot) return [{ type: "SlotWritten" }, { type: "TrialBegun" }];
      if (slots.primary !== stage.slot) return [{ type: "SlotWritten" }];
      return [{ type: "UpdateFailed", message: "it was interrupted: the release that ran goes on" }];
    case "INSTALLED":
      if (slots.booted !== stage.slot) return [{ type: "TrialBegun" }];
      // Not rebooted yet.
      if (slots.primary !== stage.slot) return [];
      return [returned(stage, `release ${stage.to} did not start`, null)];
    case "TRIAL":
      if (slots.booted !== stage.slot) return [];
      return [returned(stage, `release ${stage.to} did not serve for a minute`, previousOf(stage).since)];
    case "RETURNING":
      if (slots.booted === stage.to.slot)
        return [
          {
            type: "UpdateRolledBack",
            version: stage.from,
            message: `release ${stage.to.version} was asked back`,
            since: stage.to.since,
          },
        ];
      if (slots.primary === stage.to.slot) return [];
      return [{ type: "UpdateFailed", message: "the way back was interrupted: ask again" }];
  }
}

function returned({ to }: Target, message: string, since: number | null): UpdateEvent {
  return { type: "UpdateRolledBack", version: to, message, since };
}

function rollBack(
  { stage, previous }: UpdateState,
  { running, slots }: Extract<UpdateCommand, { type: "ROLL_BACK" }>,
): UpdateDecision {
  if (stage.phase !== "IDLE") return { refusal: busy[stage.phase] };
  if (previous === null) return { refusal: "there is no release to go back to" };
  if (!slots.isGood[previous.slot]) return { refusal: `slot ${previous.slot} is not good any more` };
  return [{ type: "RollbackRequested", move: { from: running.version, slot: slots.booted } }];
}
