import type { JSX } from "preact";
import { drawRule } from "../api/custom-rules.ts";
import { useAnswer } from "../parts/answer.ts";
import { AnswerFace } from "../parts/faces.tsx";
import { t } from "../texts/texts.ts";
import { Diagram } from "./diagram.tsx";

const lookMs = 2000;

/** Where a rule stands in its machine, followed while the page is open. */
export function LiveDiagram({ id }: { readonly id: string }): JSX.Element {
  const { asked, again } = useAnswer(
    (signal) => drawRule(id, signal),
    id,
    () => lookMs,
  );
  return (
    <AnswerFace
      answer={asked.value}
      again={again}
      show={(of) => <Diagram of={of} label={t("diagram.live")} />}
    />
  );
}
