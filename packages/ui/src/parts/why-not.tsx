import type { JSX } from "preact";
import { whyNot } from "../api/rules.ts";
import type { Rule } from "../store/wire.ts";
import { t } from "../texts/texts.ts";
import { useAnswer } from "./answer.ts";
import { AnswerFace } from "./faces.tsx";
import { Sheet } from "./sheet.tsx";

/** What keeps a rule from acting, in the hub's words. */
export function WhyNot({ rule, close }: { readonly rule: Rule; readonly close: () => void }): JSX.Element {
  const { asked, again } = useAnswer((signal) => whyNot(rule.id, signal), rule.id);
  return (
    <Sheet title={t("rules.whyNotOf", { name: rule.config.name })} close={close}>
      <AnswerFace
        answer={asked.value}
        again={again}
        show={({ not }) =>
          not.map(({ run, text, obstacles }) => (
            <div key={run}>
              <p>{text}</p>
              <ul class="chain">
                {obstacles.map((obstacle) => (
                  <li key={`${obstacle.kind} ${obstacle.text}`}>{obstacle.text}</li>
                ))}
              </ul>
            </div>
          ))
        }
      />
    </Sheet>
  );
}
