import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { nameOfAttribute, textOf } from "../format.ts";
import { Button } from "../parts/button.tsx";
import { held } from "../parts/held.ts";
import { reasonToWait } from "../parts/reason-to-wait.ts";
import { switchButton } from "../parts/switch-button.tsx";
import { tell } from "../store/commands.ts";
import { home, wanted } from "../store/home.ts";
import { mayUse } from "../store/roles.ts";
import type { Device } from "../store/wire.ts";
import { t } from "../texts/texts.ts";
import { type Colour, colourOf } from "./colour.ts";
import { ColourWheel } from "./colour-wheel.tsx";
import { KeptColours } from "./kept-colours.tsx";
import { type Control, type TransportAction, valueIn, valuesFor } from "./registry.ts";
import { Seek } from "./seek.tsx";
import { trackOf } from "./track.ts";

interface Of<Kind extends Control["kind"]> {
  readonly device: Device;
  readonly control: Extract<Control, { kind: Kind }>;
}

/** What a control shows: what the device was told, until it reports. */
function shownOf(device: Device, control: Control): { value: unknown; isPending: boolean } {
  const told = wanted.of(device.id).value;
  const isPending = Object.hasOwn(told, control.attribute);
  return { value: valueIn(isPending ? told : device.state, control), isPending };
}

/** Whether the device can be told anything now; a reader of screens hears why not. */
function blocked(device: Device): string | undefined {
  const isAway = device.state["reachable"] === false;
  return reasonToWait() ?? (isAway ? t("device.unreachable") : undefined);
}

function nameOf(device: Device, control: Control): string {
  return nameOfAttribute(device, control.part ?? control.attribute);
}

function Switch({ device, control }: Of<"switch">): JSX.Element {
  const { value, isPending } = shownOf(device, control);
  return switchButton({
    label: `${device.name}: ${nameOf(device, control)}`,
    isOn: value === true,
    isPending,
    blocked: blocked(device),
    flip: () => void tell(device.id, valuesFor(control, value !== true)),
  });
}

const dragMs = 200;

/** Returns what passes values on while somebody drags, a few in a second. */
function useDrag<T>(send: (to: T) => void): (to: T) => void {
  const sent = useRef(0);
  return (to) => {
    const now = performance.now();
    if (now - sent.current < dragMs) return;
    sent.current = now;
    send(to);
  };
}

function Slider({ device, control }: Of<"slider">): JSX.Element {
  const { value, isPending } = shownOf(device, control);
  const { min, max, step, attribute, part } = control;
  const why = blocked(device);
  const at = typeof value === "number" ? Math.min(max, Math.max(min, value)) : min;
  const send = (to: number): void => void tell(device.id, valuesFor(control, to));
  const drag = useDrag(send);
  return (
    <label class={isPending ? "control pending" : "control"}>
      <span>{nameOf(device, control)}</span>
      <input
        type="range"
        min={min}
        max={max}
        step={step}
        value={at}
        aria-valuetext={textOf(device, part ?? attribute, value)}
        title={why}
        {...held(why !== undefined)}
        onInput={({ currentTarget }) => {
          if (why === undefined) drag(currentTarget.valueAsNumber);
          else currentTarget.valueAsNumber = at;
        }}
        onChange={({ currentTarget }) => {
          if (why === undefined) send(currentTarget.valueAsNumber);
        }}
      />
      <output>{textOf(device, part ?? attribute, value)}</output>
    </label>
  );
}

function ColourControl({ device }: Of<"colour">): JSX.Element {
  const told = wanted.of(device.id).value;
  const why = blocked(device);
  const colour = colourOf({ ...device.state, ...told });
  const send = (to: Colour): void => {
    if (why === undefined) void tell(device.id, { ...to });
  };
  const drag = useDrag(send);
  const name = t("attribute.colour");
  return (
    <div class={Object.hasOwn(told, "hue") ? "control pending" : "control"}>
      <span>{name}</span>
      <ColourWheel label={name} colour={colour} blocked={why} drag={drag} put={send} />
      <KeptColours colour={colour} isBlocked={why !== undefined} put={send} />
    </div>
  );
}

function Stepper({ device, control }: Of<"stepper">): JSX.Element {
  const { value, isPending } = shownOf(device, control);
  const { min, max, step, attribute } = control;
  const at = typeof value === "number" ? value : min;
  const why = blocked(device);
  const by = (change: number): void => {
    if (why !== undefined) return;
    const to = Math.min(max, Math.max(min, at + change));
    if (to !== at) void tell(device.id, valuesFor(control, to));
  };
  const name = nameOf(device, control);
  return (
    <div class={isPending ? "control pending" : "control"} role="group" aria-label={name}>
      <span>{name}</span>
      <button
        type="button"
        class="button"
        aria-disabled={why !== undefined || at <= min}
        onClick={() => by(-step)}
      >
        <span aria-hidden="true">−</span>
        <span class="hidden">{t("control.less")}</span>
      </button>
      <output>{textOf(device, attribute, value)}</output>
      <button
        type="button"
        class="button"
        aria-disabled={why !== undefined || at >= max}
        onClick={() => by(step)}
      >
        <span aria-hidden="true">+</span>
        <span class="hidden">{t("control.more")}</span>
      </button>
    </div>
  );
}

function Choice({ device, control }: Of<"choice">): JSX.Element {
  const { value, isPending } = shownOf(device, control);
  const why = blocked(device);
  return (
    <fieldset class={isPending ? "segments pending" : "segments"} title={why}>
      <legend>{nameOf(device, control)}</legend>
      {control.options.map((option) => (
        <label key={option}>
          <input
            type="radio"
            name={`${device.id} ${control.attribute}`}
            checked={value === option}
            {...held(why !== undefined)}
            onChange={() => {
              if (why === undefined) void tell(device.id, valuesFor(control, option));
            }}
          />
          <span>{textOf(device, control.attribute, option)}</span>
        </label>
      ))}
    </fieldset>
  );
}

function Cover({ device, control }: Of<"cover">): JSX.Element {
  const isBlocked = blocked(device) !== undefined;
  const send = (values: Readonly<Record<string, unknown>>): void => void tell(device.id, values, false);
  const name = nameOf(device, control);
  return (
    <div class="control" role="group" aria-label={name}>
      <span>{name}</span>
      <Button isBlocked={isBlocked} onClick={() => send({ position: 1 })}>
        {t("control.up")}
      </Button>
      {control.canStop && (
        <Button isBlocked={isBlocked} onClick={() => send({ stop: true })}>
          {t("control.stop")}
        </Button>
      )}
      <Button isBlocked={isBlocked} onClick={() => send({ position: 0 })}>
        {t("control.down")}
      </Button>
    </div>
  );
}

function Transport({ device, control }: Of<"transport">): JSX.Element {
  const why = blocked(device);
  const send = (action: TransportAction | "SEEK", more: object = {}): void =>
    void tell(device.id, { avtData: { type: "MR_AVT_DATA", action, ...more } }, false);
  const { number, text, lengthS } = trackOf(device.state["avtData"]);
  return (
    <>
      <div class="control" role="group" aria-label={t("control.player")}>
        <span>{text}</span>
        {control.actions.map((action) => (
          <Button key={action} isBlocked={why !== undefined} onClick={() => send(action)}>
            {t(`player.${action}`)}
          </Button>
        ))}
      </div>
      {control.canSeek && lengthS !== undefined && (
        <Seek
          key={String(number)}
          lengthS={lengthS}
          blocked={why}
          go={(position) => send("SEEK", { position })}
        />
      )}
    </>
  );
}

const holdMs = 600;

/** For what nobody should do by chance: it wants to be held down, by pointer or key. */
function Hold({ device, control }: Of<"hold">): JSX.Element {
  const isHeld = useSignal(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const value = valueIn(device.state, control);
  const isBlocked = blocked(device) !== undefined;
  const press = (): void => {
    if (isHeld.value || isBlocked) return;
    isHeld.value = true;
    timer.current = setTimeout(() => {
      isHeld.value = false;
      void tell(device.id, valuesFor(control, value !== true), false);
    }, holdMs);
  };
  const release = (): void => {
    clearTimeout(timer.current);
    isHeld.value = false;
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    // A key that stays down acts once.
    if (!event.repeat) press();
  };
  return (
    <div class="control">
      <span>{nameOf(device, control)}</span>
      <button
        type="button"
        class={isHeld.value ? "button hold held" : "button hold"}
        aria-disabled={isBlocked}
        onPointerDown={press}
        onPointerUp={release}
        onPointerLeave={release}
        onKeyDown={onKey}
        onKeyUp={release}
        onBlur={release}
      >
        {t(value === true ? control.off : control.on)}
        <small>{t("control.hold")}</small>
      </button>
    </div>
  );
}

/** The control of an attribute of a device, if the device is there and the user may use it. */
export function ControlOf({
  id,
  control,
}: {
  readonly id: string;
  readonly control: Control;
}): JSX.Element | null {
  const device = home.of.devices.of(id).value;
  if (device === undefined || !mayUse()) return null;
  switch (control.kind) {
    case "switch":
      return <Switch device={device} control={control} />;
    case "slider":
      return <Slider device={device} control={control} />;
    case "colour":
      return <ColourControl device={device} control={control} />;
    case "stepper":
      return <Stepper device={device} control={control} />;
    case "choice":
      return <Choice device={device} control={control} />;
    case "cover":
      return <Cover device={device} control={control} />;
    case "transport":
      return <Transport device={device} control={control} />;
    case "hold":
      return <Hold device={device} control={control} />;
  }
}
