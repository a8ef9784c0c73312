import type { ComponentChildren, JSX } from "preact";
import type { Answer } from "../api/call.ts";
import { featureSwitches } from "../api/features.ts";
import { hrefOf } from "../route.ts";
import { pastTime } from "../store/clock.ts";
import { t } from "../texts/texts.ts";
import { useAnswer } from "./answer.ts";
import { AnswerFace, Empty } from "./faces.tsx";

/** What a feature has to show, or that it is off. */
type Shown<T> = { readonly isOn: true; readonly value: T } | { readonly isOn: false };

interface Featured<T> {
  readonly feature: string;
  readonly ask: (signal: AbortSignal) => Promise<Answer<T>>;
  readonly show: (value: T, again: () => void) => ComponentChildren;
}

/** The faces of a screen that belongs to a feature: also that the hub has it off, and that it is of now alone. */
export function FeatureFace<T>(props: Featured<T>): JSX.Element {
  // While the page shows the past nothing is asked.
  return pastTime.value === null ? <FaceNow {...props} /> : <Empty title={t("system.onlyNow")} />;
}

function FaceNow<T>({ feature, ask, show }: Featured<T>): JSX.Element {
  const facts = async (signal: AbortSignal): Promise<Answer<Shown<T>>> => {
    const features = await featureSwitches(signal);
    if (!features.ok) return features;
    if (!features.value.some((of) => of.feature === feature && of.isOn))
      return { ok: true, value: { isOn: false } };
    const answer = await ask(signal);
    return answer.ok ? { ok: true, value: { isOn: true, value: answer.value } } : answer;
  };
  const { asked, again } = useAnswer(facts, feature);
  return (
    <AnswerFace
      answer={asked.value}
      again={again}
      show={(shown) =>
        shown.isOn ? (
          show(shown.value, again)
        ) : (
          <Empty title={t("features.off")}>
            <a href={hrefOf("features")}>{t("features.title")}</a>
          </Empty>
        )
      }
    />
  );
}
