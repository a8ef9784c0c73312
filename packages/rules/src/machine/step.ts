// All calls of xstate are in this file, because its next release has another API.
import type { AnyMachineSnapshot, AnyStateMachine, ExecutableActionObject } from "xstate";
import { assign, createActor, createMachine, getInitialSnapshot } from "xstate";
import type { Action, Arguments, Chart, StateNode, Stimulus, Transition } from "./chart.ts";
import type { Effect } from "./effect.ts";

/** A timer that a step sets; setting it again replaces it. */
export interface TimerStart {
  /** The type of the stimulus when it ends. */
  readonly name: string;
  readonly durationMs: number;
}

export interface Stepped {
  /** The given snapshot if nothing changed. */
  readonly snapshot: AnyMachineSnapshot;
  readonly effects: readonly Effect[];
  readonly timers: readonly TimerStart[];
  /** Names of timers that are no longer needed; some may not be set, and none is among `timers`. */
  readonly cancelled: readonly string[];
}

/** The part of a snapshot that goes into the log. */
export interface Standing {
  readonly value: unknown;
  readonly context: Readonly<Record<string, unknown>>;
}

/** A machine that all rules of its template share. */
export interface Machine {
  readonly machine: AnyStateMachine;
  readonly initial: AnyMachineSnapshot;
}

/** The most transitions without an event before a step fails; xstate itself sets no limit. */
const maxIterations = 64;

/** Builds the machine of a chart: `off`, and `on` with the chart's states in it. */
export function machineOf<Context extends object>(chart: Chart<Context>): Machine {
  const { context, delays = {}, off = [], on = {}, ...top } = chart;
  const whileOn = node(top);
  const config = {
    id: "rule",
    context,
    initial: "off",
    options: { maxIterations },
    states: {
      off: { tags: ["idle"], on: { "rule.on": "on" } },
      on: {
        ...whileOn,
        on: { ...listed(on), "rule.off": { target: "off", actions: actions(off) } },
      },
    },
  };
  const machine = createMachine(config as never, { delays: delays as never }) as unknown as AnyStateMachine;
  return { machine, initial: getInitialSnapshot(machine) as AnyMachineSnapshot };
}

let done: ExecutableActionObject[] = [];
type Scope = Parameters<AnyStateMachine["transition"]>[2];
const nobody = createActor(createMachine({}));
/**
 * Runs nothing, and so collects what a step wants done. Shared by all steps, because making one costs more
 * than a step.
 */
const scope = {
  self: nobody,
  system: (nobody as unknown as { system: unknown }).system,
  id: "",
  sessionId: "",
  logger: () => {},
  defer: () => {},
  stopChild: () => {},
  emit: () => {},
  actionExecutor: (action: ExecutableActionObject) => {
    done.push(action);
  },
} as unknown as Scope;

/**
 * Steps a machine once, without changing the given snapshot.
 * @throws what a guard or an action throws, and at an endless loop without an event
 */
export function step({ machine }: Machine, snapshot: AnyMachineSnapshot, event: Stimulus): Stepped {
  done = [];
  const next = machine.transition(snapshot, event, scope) as AnyMachineSnapshot;
  if (next.status === "error") throw next.error as Error;
  const effects: Effect[] = [];
  const timers = new Map<string, TimerStart>();
  const cancelled = new Set<string>();
  for (const { type, params } of done as readonly { type: string; params: unknown }[]) {
    if (type === "out") effects.push(...(params as { effects: readonly Effect[] }).effects);
    else if (type === "xstate.raise") {
      const timer = timerOf(params as Raise);
      timers.set(timer.name, timer);
    } else if (type === "xstate.cancel") {
      // A state that is entered and left in the same step leaves no timer.
      const { sendId } = params as { sendId: string };
      timers.delete(sendId);
      cancelled.add(sendId);
    }
  }
  return {
    snapshot: next,
    effects,
    timers: [...timers.values()],
    cancelled: [...cancelled].filter((name) => !timers.has(name)),
  };
}

/**
 * Returns the snapshot of a logged state.
 * @throws when the machine has no such state
 */
export function resolve({ machine }: Machine, { value, context }: Standing): AnyMachineSnapshot {
  return machine.resolveState({ value, context } as never) as AnyMachineSnapshot;
}

/** Returns the part of a snapshot that goes into the log. */
export function standing({ value, context }: AnyMachineSnapshot): Standing {
  return { value, context };
}

/** Returns whether the rule is at rest. */
export function isIdle(snapshot: AnyMachineSnapshot): boolean {
  return snapshot.hasTag("idle");
}

interface Raise {
  readonly event: { readonly type: string };
  readonly delay: number;
}

function timerOf({ event, delay }: Raise): TimerStart {
  return { name: event.type, durationMs: Math.max(0, Math.round(delay)) };
}

function nodes<Context>(states: Readonly<Record<string, StateNode<Context>>>): object {
  return mapped(states, node);
}

function node<Context>(of: StateNode<Context>): object {
  const { on, always, after, entry = [], exit = [], idle, initial, states, parallel } = of;
  return {
    ...(on && { on: listed(on) }),
    ...(always && { always: transitions(always) }),
    ...(after && { after: listed(after) }),
    entry: actions(entry),
    exit: actions(exit),
    tags: idle ? ["idle"] : [],
    ...(states && { ...(parallel ? { type: "parallel" } : { initial }), states: nodes(states) }),
  };
}

function listed<Context>(
  by: Readonly<Record<string, Transition<Context> | readonly Transition<Context>[]>>,
): object {
  return mapped(by, transitions);
}

function transitions<Context>(of: Transition<Context> | readonly Transition<Context>[]): object[] {
  return [of].flat().map(({ target, guard, reenter, actions: wanted = [] }) => ({
    ...(target !== undefined && { target }),
    ...(guard && { guard }),
    ...(reenter && { reenter }),
    actions: actions(wanted),
  }));
}

function actions<Context>(wanted: readonly Action<Context>[]): object[] {
  return wanted.map((action) => {
    if ("keep" in action) return assign(action.keep as never);
    const { out } = action;
    return { type: "out", params: (given: Arguments<Context>) => ({ effects: out(given) }) };
  });
}

function mapped<From>(of: Readonly<Record<string, From>>, to: (from: From) => unknown): object {
  return Object.fromEntries(Object.entries(of).map(([name, from]) => [name, to(from)]));
}
