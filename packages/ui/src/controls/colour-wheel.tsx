import { useSignal } from "@preact/signals";
import type { JSX, TargetedKeyboardEvent, TargetedPointerEvent } from "preact";
import { useRef } from "preact/hooks";
import { percentOf } from "../format.ts";
import { t } from "../texts/texts.ts";
import { type Colour, colourAt, hexOf, placeOf, turnedBy } from "./colour.ts";

/** Where the keyboard begins while a lamp shows no colour. */
const first: Colour = { hue: 0, saturation: 1 };

function degreesOf({ hue }: Colour): number {
  return Math.floor((hue * 180) / Math.PI + 0.5);
}

/** Returns a colour in words. */
export function textOfColour(colour: Colour): string {
  return t("colour.value", { hue: degreesOf(colour), saturation: percentOf(colour.saturation) });
}

/**
 * A wheel of hues around white, by pointer or arrows: right and left turn the hue, up and down change the saturation.
 * @param drag takes colours while a pointer moves over it; `put` the one that was chosen
 */
export function ColourWheel(props: {
  readonly label: string;
  /** Undefined while there is none. */
  readonly colour: Colour | undefined;
  /** Why it takes nothing now. */
  readonly blocked?: string | undefined;
  readonly drag?: (colour: Colour) => void;
  readonly put: (colour: Colour) => void;
}): JSX.Element {
  const { label, colour, blocked, drag, put } = props;
  const held = useSignal<Colour | undefined>(undefined);
  const wheel = useRef<HTMLDivElement>(null);
  const shown = held.value ?? colour;
  const at = ({ clientX, clientY }: PointerEvent): Colour | undefined => {
    const box = wheel.current?.getBoundingClientRect();
    if (box === undefined || box.width === 0) return undefined;
    const radius = box.width / 2;
    return colourAt((clientX - box.left - radius) / radius, (clientY - box.top - radius) / radius);
  };
  const down = (event: TargetedPointerEvent<HTMLDivElement>): void => {
    if (blocked !== undefined || event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    held.value = at(event);
  };
  const move = (event: PointerEvent): void => {
    const to = held.value === undefined ? undefined : at(event);
    if (to === undefined) return;
    held.value = to;
    drag?.(to);
  };
  const up = (): void => {
    const { value: chosen } = held;
    held.value = undefined;
    if (chosen !== undefined && blocked === undefined) put(chosen);
  };
  const press = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    const to = turnedBy(event.key, colour ?? first);
    if (to === undefined) return;
    event.preventDefault();
    if (blocked === undefined) put(to);
  };
  const place = shown && placeOf(shown);
  return (
    <div
      ref={wheel}
      class="wheel"
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={360}
      aria-valuenow={shown === undefined ? 0 : degreesOf(shown)}
      aria-valuetext={shown === undefined ? t("colour.none") : textOfColour(shown)}
      aria-disabled={blocked !== undefined}
      title={blocked}
      onPointerDown={down}
      onPointerMove={move}
      onPointerUp={up}
      onPointerCancel={() => (held.value = undefined)}
      onKeyDown={press}
    >
      {place && (
        <span
          class="wheel-mark"
          style={{ left: `${50 + 50 * place.x}%`, top: `${50 + 50 * place.y}%`, background: hexOf(shown) }}
        />
      )}
    </div>
  );
}
