/** A custom rule that uses every feature: stair lights that are dimmed before they go off. */
export const stairs = {
  type: "CUSTOM_RULE",
  configType: "CUSTOM_STAIRS",
  template: {
    type: "TEMPLATE",
    category: "CUSTOM_RULE",
    configType: "CUSTOM_STAIRS",
    name: "Stairs",
    summary: "Light on the stairs, dimmed before it goes off",
    description: "The lights go on when somebody moves in the dark and are dimmed before they go off.",
    priority: 60,
    icon: "stairs",
    inputs: {
      motion: { type: "INPUT", capabilities: ["MOTION"], minCount: 1, maxCount: 4, description: "Motion" },
      lux: { capabilities: ["LUX"], minCount: 0, maxCount: 2 },
    },
    outputs: { lights: { capabilities: ["ON_OFF", "BRIGHTNESS"], minCount: 1, maxCount: 8 } },
    extras: {
      timeout: { fieldType: "TIME_DELTA_MS", minValue: 1000, maxValue: 3_600_000, defaultValue: 60_000 },
      maxLux: { fieldType: "LUX", minValue: 0, maxValue: 10_000, defaultValue: 50, extraFor: "lux" },
      quiet: { fieldType: "TIME_RANGE", maxCount: 4 },
    },
  },
  machine: {
    id: "stairs",
    initial: "dark",
    context: { count: 0 },
    on: { "out.lights": { actions: { type: "log", params: { text: "{out.lights.device}" } } } },
    states: {
      dark: {
        tags: ["idle"],
        on: {
          "in.motion": [
            {
              guard: {
                type: "expr",
                params: {
                  expr: {
                    and: [
                      { var: "in.motion.value" },
                      { var: "in.motion.news" },
                      {
                        or: [
                          { "==": [{ seen: "lux" }, 0] },
                          { "<": [{ max: "lux" }, { var: "cfg.maxLux" }] },
                        ],
                      },
                    ],
                  },
                },
              },
              target: "lit",
              actions: [
                { type: "set", params: { name: "count", value: { "+": [{ var: "ctx.count" }, 1] } } },
                { type: "log", params: { text: "time {ctx.count} by {in.motion.device}" } },
              ],
            },
          ],
        },
      },
      lit: {
        initial: "bright",
        entry: [
          {
            type: "cmd",
            params: { output: "lights", op: "level", value: { if: [{ var: "cfg.quiet" }, 0.2, 1] } },
          },
        ],
        exit: { type: "cmd", params: { output: "lights", op: "off" } },
        on: {
          "in.motion": {
            guard: { type: "expr", params: { expr: { any: "motion" } } },
            target: ".bright",
            reenter: true,
          },
        },
        states: {
          bright: { after: { "cfg.timeout": "dim" } },
          dim: {
            entry: { type: "cmd", params: { output: "lights", op: "brightness", value: 0.1 } },
            after: {
              "10000": {
                target: "#stairs.dark",
                actions: { type: "notify", params: { text: "dark again" } },
              },
            },
          },
        },
      },
    },
  },
  tests: [
    {
      name: "on, dim, off",
      devices: {
        hall: { field: "motion", state: { motion: false } },
        lamp: { field: "lights", state: { isOn: false } },
      },
      steps: [
        {
          report: { hall: { motion: true } },
          commands: { lamp: { isOn: true, brightness: 1 } },
          says: ["time 1 by hall", "lamp"],
          state: { lit: "bright" },
          ctx: { count: 1 },
        },
        { report: { hall: { motion: false } }, pass: 59_999 },
        { pass: 1, commands: { lamp: { brightness: 0.1 } }, state: { lit: "dim" } },
        { pass: 10_000, commands: { lamp: { isOn: false } }, says: ["lamp", "dark again"], state: "dark" },
        { rule: "off", state: "off" },
      ],
    },
  ],
} as const;

/** Returns the source with another value at a path; undefined removes the value. */
export function changed(path: string, value: unknown): string {
  const source: unknown = JSON.parse(JSON.stringify(stairs));
  const names = path.split("/");
  let at = source as Record<string, unknown>;
  for (const name of names.slice(0, -1)) at = at[name] as Record<string, unknown>;
  const last = names.at(-1) ?? "";
  if (value === undefined) delete at[last];
  else at[last] = value;
  return JSON.stringify(source, null, 2);
}

/** The source as indented text. */
export const stairsSource = JSON.stringify(stairs, null, 2);
