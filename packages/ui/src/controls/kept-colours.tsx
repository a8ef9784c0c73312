import type { JSX } from "preact";
import { forgetColours, keepColour, keepColours, keptColours } from "../api/colours.ts";
import { useAnswer } from "../parts/answer.ts";
import { LiveButton } from "../parts/live-button.tsx";
import { change } from "../store/commands.ts";
import { pastTime } from "../store/clock.ts";
import { t } from "../texts/texts.ts";
import { type Colour, colourIn, hexOf } from "./colour.ts";
import { textOfColour } from "./colour-wheel.tsx";

/** Colours that people of the home keep, to be chosen again. @param colour what the lamp shows, if it is a colour */
export function KeptColours(props: {
  readonly colour: Colour | undefined;
  readonly isBlocked: boolean;
  readonly put: (colour: Colour) => void;
}): JSX.Element | null {
  const { colour, isBlocked, put } = props;
  const { asked, again } = useAnswer(keptColours, "");
  if (asked.value.state !== "done" || pastTime.value !== null) return null;
  const kept = asked.value.value.flatMap((hex) => {
    const found = colourIn(hex);
    return found === undefined ? [] : [[hex, found] as const];
  });
  const hex = colour && hexOf(colour);
  const isKept = kept.some(([each]) => each === hex);
  const keep = async (): Promise<void> => {
    if (hex === undefined) return;
    await change(keepColour(hex), t("colour.keptNow"));
    again();
  };
  const forget = async (): Promise<void> => {
    const back = async (): ReturnType<typeof keepColours> => {
      const answer = await keepColours(kept.map(([each]) => each));
      again();
      return answer;
    };
    await change(forgetColours(), t("colour.forgotten"), back);
    again();
  };
  return (
    <div class="row" role="group" aria-label={t("colour.kept")}>
      {kept.map(([each, of]) => (
        <LiveButton
          key={each}
          class="button swatch"
          isBlocked={isBlocked}
          aria-label={textOfColour(of)}
          aria-pressed={each === hex}
          onClick={() => put(of)}
        >
          <span style={{ background: each }} />
        </LiveButton>
      ))}
      <LiveButton isBlocked={hex === undefined || isKept} onClick={() => void keep()}>
        {t("colour.keep")}
      </LiveButton>
      {kept.length > 0 && <LiveButton onClick={() => void forget()}>{t("colour.forget")}</LiveButton>}
    </div>
  );
}
