import type { DriveClass } from "@ledge/model";
import type { Chart } from "../machine/chart.ts";
import { keep, out } from "../machine/chart.ts";
import { turn } from "../machine/effect.ts";
import { devices } from "../catalogue/field.ts";
import type { Template } from "../catalogue/template.ts";
import { template } from "../catalogue/template.ts";

const words = { name: "", summary: "", description: "", fields: {} };

/** A template for tests: it hears `heard`, which takes any devices, and drives `lamps`. */
export function ownTemplate<Context extends object>(
  configType: string,
  chart: Chart<Context>,
  more: Partial<Omit<Template<Context>, "chart">> = {},
): Template {
  return template<Context>({
    configType,
    version: 1,
    priority: 50,
    class: "RULE",
    icon: "test",
    inputs: { heard: devices(["ON_OFF", "MOTION", "TEMPERATURE", "CONTACT"], 0, 64) },
    outputs: { lamps: devices(["ON_OFF"], 0, 64) },
    extras: {},
    late: { late: "fire" },
    texts: { en: words, fi: words, sv: words, de: words },
    chart,
    ...more,
  });
}

/** Toggles its lamps at each edge of its input, so that the lamps show what edges it heard. */
export function flipping(configType: string, of: DriveClass = "RULE"): Template {
  return ownTemplate(
    configType,
    {
      context: {},
      initial: "on",
      states: {
        on: {
          on: {
            "in.heard": {
              guard: ({ event: { view } }) => view.change?.isNews === true,
              actions: [
                out(({ event: { view } }) =>
                  view.devices("lamps").flatMap((lamp) => turn([lamp], lamp.state["isOn"] !== true)),
                ),
              ],
            },
          },
        },
      },
    },
    { class: of },
  );
}

/** Counts what it hears and does nothing. */
export const counting = ownTemplate<{ readonly count: number }>("COUNT", {
  context: { count: 0 },
  initial: "on",
  states: {
    on: { on: { "in.heard": { actions: [keep(({ context }) => ({ count: context.count + 1 }))] } } },
  },
});
