import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { held } from "../parts/held.ts";
import { t } from "../texts/texts.ts";
import { timeOf } from "./track.ts";

const stepS = 5;

/** Goes to a place in a track. Hubs do not tell where a player is, so it shows where it was last sent. */
export function Seek(props: {
  /** The length of the track (s). */
  readonly lengthS: number;
  readonly blocked: string | undefined;
  readonly go: (position: string) => void;
}): JSX.Element {
  const { lengthS, blocked, go } = props;
  const at = useSignal(0);
  const text = t("seek.at", { time: timeOf(at.value), length: timeOf(lengthS) });
  return (
    <label class="control">
      <span>{t("seek.to")}</span>
      <input
        type="range"
        min={0}
        max={lengthS}
        step={stepS}
        value={at.value}
        aria-valuetext={text}
        title={blocked}
        {...held(blocked !== undefined)}
        onInput={({ currentTarget }) => {
          if (blocked === undefined) at.value = currentTarget.valueAsNumber;
          else currentTarget.valueAsNumber = at.value;
        }}
        onChange={({ currentTarget }) => {
          if (blocked === undefined) go(timeOf(currentTarget.valueAsNumber));
        }}
      />
      <output>{text}</output>
    </label>
  );
}
