import type { JSX } from "preact";
import { type Colour, colourOf } from "../../controls/colour.ts";
import { ColourWheel } from "../../controls/colour-wheel.tsx";
import { type Control, valueIn } from "../../controls/registry.ts";
import { nameOfAttribute, textOf } from "../../format.ts";
import type { Device } from "../../store/wire.ts";
import { t } from "../../texts/texts.ts";
import { settingsOf, type Wanted, withColour, withValue } from "./members.ts";

interface Setting {
  readonly device: Device;
  readonly control: Control;
  readonly wanted: Wanted;
  readonly put: (wanted: Wanted) => void;
}

/** The values that a choice or a switch offers. */
function optionsOf(control: Control): readonly (number | boolean)[] | undefined {
  if (control.kind === "switch") return [true, false];
  return control.kind === "choice" ? control.options : undefined;
}

function Choice({ device, control, wanted, put }: Setting): JSX.Element {
  const name = nameOfAttribute(device, control.part ?? control.attribute);
  const value = valueIn(wanted, control);
  const options = optionsOf(control) ?? [];
  return (
    <label class="control">
      <span>{name}</span>
      <select
        value={value === undefined ? "" : JSON.stringify(value)}
        onChange={({ currentTarget: { value: chosen } }) =>
          put(withValue(wanted, control, chosen === "" ? undefined : (JSON.parse(chosen) as unknown)))
        }
      >
        <option value="">{t("scene.leave")}</option>
        {options.map((option) => (
          <option key={String(option)} value={JSON.stringify(option)}>
            {textOf(device, control.part ?? control.attribute, option)}
          </option>
        ))}
      </select>
    </label>
  );
}

function Amount({ device, control, wanted, put }: Setting): JSX.Element | null {
  if (control.kind !== "slider" && control.kind !== "stepper") return null;
  const { min, max, step, attribute, part } = control;
  const name = nameOfAttribute(device, part ?? attribute);
  const value = valueIn(wanted, control);
  const shown = valueIn(device.state, control);
  const isSet = typeof value === "number";
  const begin = typeof shown === "number" ? Math.min(max, Math.max(min, shown)) : min;
  return (
    <div class="control">
      <label class="check">
        <input
          type="checkbox"
          checked={isSet}
          onChange={(event) =>
            put(withValue(wanted, control, event.currentTarget.checked ? begin : undefined))
          }
        />
        {name}
      </label>
      {isSet && (
        <>
          <input
            type="range"
            aria-label={`${device.name}: ${name}`}
            aria-valuetext={textOf(device, part ?? attribute, value)}
            min={min}
            max={max}
            step={step}
            value={value}
            onInput={(event) => put(withValue(wanted, control, event.currentTarget.valueAsNumber))}
          />
          <output>{textOf(device, part ?? attribute, value)}</output>
        </>
      )}
    </div>
  );
}

/** Where a colour begins for a lamp that shows a white. */
const red: Colour = { hue: 0, saturation: 1 };

function ColourChoice({ device, wanted, put }: Setting): JSX.Element {
  const name = t("attribute.colour");
  const colour = colourOf(wanted);
  const isSet = colour !== undefined;
  const begin = colourOf(device.state) ?? red;
  return (
    <div class="control">
      <label class="check">
        <input
          type="checkbox"
          checked={isSet}
          onChange={(event) => put(withColour(wanted, event.currentTarget.checked ? begin : undefined))}
        />
        {name}
      </label>
      {isSet && (
        <ColourWheel
          label={`${device.name}: ${name}`}
          colour={colour}
          put={(to) => put(withColour(wanted, to))}
        />
      )}
    </div>
  );
}

/** What a scene wants of a device. What it leaves stays as it is. */
export function WantedEditor(of: Omit<Setting, "control">): JSX.Element {
  return (
    <>
      {settingsOf(of.device).map((control) => {
        const key = `${control.kind} ${control.attribute} ${control.part ?? ""}`;
        if (control.kind === "colour") return <ColourChoice key={key} control={control} {...of} />;
        const isChoice = optionsOf(control) !== undefined;
        return isChoice ? (
          <Choice key={key} control={control} {...of} />
        ) : (
          <Amount key={key} control={control} {...of} />
        );
      })}
    </>
  );
}
