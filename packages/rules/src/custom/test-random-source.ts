import type { Random } from "@ledge/testkit";

/** Values of unexpected types to put in place of others. */
const hostile: readonly unknown[] = [
  null,
  true,
  -1,
  0.5,
  1e308,
  "",
  "a",
  "constructor",
  "__proto__",
  "on",
  "off",
  "#rule.off",
  "CUSTOM_A",
  "\ud83e",
  "a".repeat(400),
  [],
  {},
  [[]],
  { type: "expr" },
  { type: "xstate.raise", params: { event: { type: "a" } } },
  { var: "constructor.constructor" },
  { invoke: { src: "a" } },
  { "<": [{ avg: "motion" }, { "/": [1, 0] }] },
];
const words = [
  "__proto__",
  "constructor",
  "invoke",
  "always",
  "after",
  "on",
  "states",
  "entry",
  "type",
  "100",
  "cfg.timeout",
];
const signs = [
  '"',
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  "\\",
  "0",
  "-",
  "e",
  "\u0000",
  "\ud83e",
  "9".repeat(30),
  "null",
  '"__proto__":{},',
];

function pick<T>(list: readonly T[], random: Random): T {
  return list[random(list.length)] as T;
}

/** Returns a random source: a valid one with spoiled text or spoiled values, or one that is made up. */
export function randomSource(valid: readonly string[], random: Random): string {
  switch (random(5)) {
    case 0:
      return spoiltText(pick(valid, random), random);
    case 1:
    case 2:
      return spoilt(pick(valid, random), random);
    default:
      return JSON.stringify(madeUp(random));
  }
}

function spoiltText(text: string, random: Random): string {
  let spoiled = text;
  for (let times = 1 + random(3); times > 0; times--) {
    const [at, length] = [random(spoiled.length + 1), random(12)];
    const piece = random(3) === 0 ? spoiled.slice(at, at + random(200)) : pick(signs, random);
    spoiled = spoiled.slice(0, at) + (random(4) === 0 ? "" : piece) + spoiled.slice(at + length);
  }
  return spoiled;
}

type Tree = Record<string, unknown>;

/** Removes, doubles, renames or replaces one to three values of a source. */
function spoilt(text: string, random: Random): string {
  const source: unknown = JSON.parse(text);
  const trees: Tree[] = [];
  const collect = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    trees.push(value as Tree);
    for (const inner of Object.values(value)) collect(inner);
  };
  collect(source);
  for (let times = 1 + random(3); times > 0; times--) {
    const tree = pick(trees, random);
    const key = pick(Object.keys(tree), random) as string | undefined;
    if (key === undefined) continue;
    const other = pick(trees, random);
    switch (random(5)) {
      case 0:
        delete tree[key];
        break;
      case 1:
        put(tree, pick(words, random), tree[key]);
        break;
      case 2:
        put(tree, key, pick(hostile, random));
        break;
      case 3:
        // A copy, because a value inside itself would not be JSON.
        put(tree, key, JSON.parse(JSON.stringify(other)));
        break;
      default:
        put(tree, pick(Object.keys(other), random) ?? "a", tree[key]);
    }
  }
  return JSON.stringify(source);
}

/** Sets a property like JSON.parse does, whatever the key is. */
function put(tree: Tree, key: string, value: unknown): void {
  Object.defineProperty(tree, key, { value, enumerable: true, configurable: true, writable: true });
}

/** Makes up a random custom rule, most parts of which are valid. */
function madeUp(random: Random): object {
  const names = Array.from({ length: 1 + random(6) }, (_, index) => `s${index}`);
  return {
    type: "CUSTOM_RULE",
    configType: "CUSTOM_A",
    template: {
      name: "A",
      inputs: {
        motion: { capabilities: ["MOTION"], maxCount: 4 },
        temperature: { capabilities: ["TEMPERATURE", "CO2"], maxCount: 2 },
      },
      outputs: { lights: { capabilities: ["ON_OFF", "BRIGHTNESS"], maxCount: 4 } },
      extras: {
        timeout: { fieldType: "TIME_DELTA_MS", minValue: 0, maxValue: 600_000, defaultValue: 1000 },
        limit: { fieldType: "NUMBER" },
        word: { fieldType: "STRING" },
        times: { fieldType: "TIME_RANGE", maxCount: 3 },
      },
    },
    machine: { ...node(names, 0, random), context: { n: 0, said: "", is: false, none: null } },
  };
}

function node(names: readonly string[], depth: number, random: Random): object {
  const transitions = (): unknown => {
    const list = Array.from({ length: 1 + random(2) }, () => transition(names, random));
    return random(2) === 0 ? list : list[0];
  };
  const events = ["in.motion", "in.temperature", "out.lights", "time", "failed"];
  const on = Object.fromEntries(events.flatMap((event) => (random(3) === 0 ? [[event, transitions()]] : [])));
  const isParallel = depth > 0 && random(8) === 0;
  const inner = depth === 0 || (depth < 3 && random(5) === 0) ? names : [];
  return {
    ...(inner.length > 0 && {
      ...(isParallel ? { type: "parallel" } : { initial: pick(names, random) }),
      states: Object.fromEntries(inner.map((name) => [name, node(names, depth + 1, random)])),
    }),
    on,
    ...(random(6) === 0 && { always: transitions() }),
    ...(random(3) === 0 && {
      after: { [pick(["100", "5000", "cfg.timeout", "99"], random)]: transitions() },
    }),
    ...(random(3) === 0 && { entry: actions(random) }),
    ...(random(5) === 0 && { exit: actions(random) }),
    ...(random(5) === 0 && depth > 0 && { tags: ["idle"] }),
  };
}

function transition(names: readonly string[], random: Random): unknown {
  if (random(12) === 0) return pick(hostile, random);
  const target = random(10) === 0 ? `.${pick(names, random)}` : pick(names, random);
  return {
    ...(random(5) > 0 && { target }),
    ...(random(2) === 0 && { guard: { type: "expr", params: { expr: expression(1 + random(5), random) } } }),
    ...(random(2) === 0 && { actions: actions(random) }),
    ...(random(6) === 0 && { reenter: true }),
  };
}

function actions(random: Random): unknown {
  return Array.from({ length: 1 + random(3) }, () => {
    if (random(40) === 0) return pick(hostile, random);
    switch (random(4)) {
      case 0: {
        const op = pick(["on", "off", "level", "brightness", "isOn", "toggle"], random);
        const isBare = op === "on" || op === "off";
        return {
          type: "cmd",
          params: { output: "lights", op, ...(!isBare && { value: expression(3, random) }) },
        };
      }
      case 1:
        return {
          type: "set",
          params: { name: pick(["n", "said", "is", "none"], random), value: expression(4, random) },
        };
      case 2:
        return {
          type: "notify",
          params: { text: pick(["hm", "{ctx.n} {in.motion.device}", "{cfg.word}"], random) },
        };
      default:
        return {
          type: "log",
          params: { text: pick(["a", "{ctx.said} at {time.minutes}", "{now}"], random) },
        };
    }
  });
}

const paths = [
  "ctx.n",
  "ctx.said",
  "ctx.is",
  "ctx.none",
  "cfg.limit",
  "cfg.word",
  "cfg.times",
  "cfg.timeout",
  "now",
  "time.minutes",
  "time.weekday",
  "time.date",
  "in.motion.value",
  "in.motion.news",
  "in.temperature.value",
  "in.temperature.before",
  "out.lights.value",
];
const operators = [
  "==",
  "!=",
  "<",
  "<=",
  ">",
  ">=",
  "and",
  "or",
  "!",
  "known",
  "if",
  "+",
  "-",
  "*",
  "/",
  "%",
  "min",
  "max",
  "avg",
  "abs",
  "round",
];

function expression(depth: number, random: Random): unknown {
  if (random(60) === 0) return pick(hostile, random);
  if (depth <= 1 || random(4) === 0) {
    switch (random(4)) {
      case 0:
        return { var: pick(paths, random) };
      case 1:
        return {
          [pick(["any", "all", "min", "max", "avg", "sum", "count", "seen"], random)]: pick(
            ["motion", "temperature", "lights"],
            random,
          ),
        };
      default:
        return pick<unknown>([0, 1, -3.5, 1e300, true, false, "", "a", "2026-01-05"], random);
    }
  }
  const operator = pick(operators, random);
  const count = ["!", "known", "abs", "round"].includes(operator) ? 1 : operator === "if" ? 3 : 2;
  return { [operator]: Array.from({ length: count }, () => expression(depth - 1, random)) };
}
