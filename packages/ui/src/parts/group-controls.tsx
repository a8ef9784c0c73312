import type { JSX } from "preact";
import { colourOf } from "../controls/colour.ts";
import { ColourWheel } from "../controls/colour-wheel.tsx";
import { type Controlled, controlsOf, isSetting, type Setting, valuesFor } from "../controls/registry.ts";
import { nameOfAttribute, textOf } from "../format.ts";
import { tellGroup } from "../store/commands.ts";
import { home } from "../store/home.ts";
import type { Objects } from "../store/wire.ts";
import { t } from "../texts/texts.ts";
import { Button } from "./button.tsx";
import { held } from "./held.ts";
import { reasonToWait } from "./reason-to-wait.ts";

type Group = Objects["groups"];

/** Returns what all members of a group can do, with the state of the first one. Members that the page does not know count for nothing. */
export function sharedBy(members: readonly string[]): Controlled {
  const found = members.flatMap((id) => home.of.devices.of(id).value ?? []);
  const [first] = found;
  const values = (first?.capabilities.values ?? []).filter((capability) =>
    found.every(({ capabilities }) => capabilities.values.includes(capability)),
  );
  return { type: first?.type ?? "", capabilities: { values }, state: first?.state ?? {} };
}

/** Returns the controls of what all members can do. */
export function groupControls(of: Controlled): readonly Setting[] {
  return controlsOf(of).filter(isSetting);
}

interface Commanding {
  readonly group: Group;
  readonly of: Controlled;
  readonly control: Setting;
}

/** Tells all members of a group what a control says. */
function GroupControl({ group: { id, members }, of, control }: Commanding): JSX.Element {
  const why = reasonToWait();
  const isBlocked = why !== undefined;
  const { attribute, part } = control;
  const name = nameOfAttribute(of, part ?? attribute);
  const tell = (value: unknown): void => void tellGroup(id, members, valuesFor(control, value));
  const shown = of.state[attribute];
  switch (control.kind) {
    case "switch":
    case "choice": {
      const options = control.kind === "switch" ? [true, false] : control.options;
      return (
        <div class="control" role="group" aria-label={name}>
          <span>{name}</span>
          {options.map((option) => (
            <Button key={String(option)} isBlocked={isBlocked} onClick={() => tell(option)}>
              {textOf(of, part ?? attribute, option)}
            </Button>
          ))}
        </div>
      );
    }
    case "slider":
    case "stepper":
      return (
        <label class="control">
          <span>{name}</span>
          <input
            type="range"
            min={control.min}
            max={control.max}
            step={control.step}
            value={typeof shown === "number" ? shown : control.min}
            {...held(isBlocked)}
            onChange={({ currentTarget }) => {
              if (isBlocked) currentTarget.valueAsNumber = typeof shown === "number" ? shown : control.min;
              else tell(currentTarget.valueAsNumber);
            }}
          />
        </label>
      );
    case "colour": {
      const label = t("attribute.colour");
      return (
        <div class="control">
          <span>{label}</span>
          <ColourWheel
            label={label}
            colour={colourOf(of.state)}
            blocked={why}
            put={(to) => void tellGroup(id, members, { ...to })}
          />
        </div>
      );
    }
    case "cover":
      return (
        <div class="control" role="group" aria-label={name}>
          <span>{name}</span>
          <Button isBlocked={isBlocked} onClick={() => tell(1)}>
            {t("control.up")}
          </Button>
          <Button isBlocked={isBlocked} onClick={() => tell(0)}>
            {t("control.down")}
          </Button>
        </div>
      );
  }
}

/** All controls of a group. Its members may differ in their states, so buttons say what to do, and not how it is. */
export function GroupControls({ group }: { readonly group: Group }): JSX.Element {
  const of = sharedBy(group.members);
  return (
    <>
      {groupControls(of).map((control) => (
        <GroupControl
          key={`${control.kind} ${control.attribute} ${control.part ?? ""}`}
          group={group}
          of={of}
          control={control}
        />
      ))}
    </>
  );
}
