import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { Denied } from "../../parts/denied.tsx";
import { isAtLeast } from "../../store/roles.ts";
import { t } from "../../texts/texts.ts";
import { Added, Placing } from "./placing.tsx";
import { Bridge } from "./bridge.tsx";
import { Camera } from "./camera.tsx";
import { Bacnet } from "./bacnet.tsx";
import { Modbus } from "./modbus.tsx";
import { Search } from "./search.tsx";
import { Choose } from "./choose.tsx";
import type { Entrance, Way } from "./ways.ts";

/** Ways that have a form or a search of their own. */
const entering = { modbus: Modbus, bacnet: Bacnet, onvif: Camera, hue: Bridge } as const;
type Entering = keyof typeof entering;

function isEntering(by: string): by is Entering {
  return Object.hasOwn(entering, by);
}

/** Where the wizard is: what it goes by, what it finds, and what of that the home keeps, by id. */
type Step =
  | { readonly at: "choose" }
  | { readonly at: "search"; readonly way: Way }
  | { readonly at: Entering }
  | { readonly at: "place" | "done"; readonly ids: readonly string[]; readonly lost: readonly string[] };

function stepOf(entrance: Entrance): Step {
  const { by } = entrance;
  return isEntering(by) ? { at: by } : { at: "search", way: entrance as Way };
}

/** Brings devices into the home, one step after the other. */
export function Pair(): JSX.Element {
  const step = useSignal<Step>({ at: "choose" });
  const { value: now } = step;
  const go = (to: Step) => (): void => void (step.value = to);
  useEffect(() => {
    // A reader of screens hears where the wizard is.
    if (now.at !== "choose") document.querySelector<HTMLElement>("main h1")?.focus();
  }, [now.at]);
  if (!isAtLeast("USER_ADMIN")) {
    return <Denied title={t("pair.title")} why={t("pair.denied")} />;
  }
  switch (now.at) {
    case "choose":
      return <Choose choose={(entrance) => go(stepOf(entrance))()} />;
    case "search":
      return (
        <Search
          way={now.way}
          stop={go({ at: "choose" })}
          done={(ids, lost) => go({ at: "place", ids, lost })()}
        />
      );
    case "place":
      return <Placing ids={now.ids} lost={now.lost} done={go({ ...now, at: "done" })} />;
    case "done":
      return <Added ids={now.ids} again={go({ at: "choose" })} />;
    case "modbus":
    case "bacnet":
    case "onvif":
    case "hue": {
      const Entered = entering[now.at];
      return <Entered stop={go({ at: "choose" })} done={(ids) => go({ at: "place", ids, lost: [] })()} />;
    }
  }
}
