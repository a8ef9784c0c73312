import type { JSX } from "preact";
import type { RuleTemplate } from "@ledge/model";
import { templates } from "../../api/rules.ts";
import { useAnswer } from "../../parts/answer.ts";
import { Denied } from "../../parts/denied.tsx";
import { AnswerFace } from "../../parts/faces.tsx";
import { Icon } from "../../parts/icon.tsx";
import { hrefOf, route } from "../../route.ts";
import { isAtLeast } from "../../store/roles.ts";
import { languageNow, t } from "../../texts/texts.ts";
import { NewRule, SavedRule } from "./editor.tsx";
import { groupsOf } from "./uses.ts";

/** The kinds of rules, by what they are for. */
function Kinds({ of }: { readonly of: readonly RuleTemplate[] }): JSX.Element {
  return (
    <>
      <h1 tabIndex={-1}>{t("rules.new")}</h1>
      {groupsOf(of).map(([use, found]) => (
        <section key={use} aria-label={t(`use.${use}`)}>
          <h2>{t(`use.${use}`)}</h2>
          <ul class="tiles">
            {found.map(({ configType, name, summary }) => (
              <li key={configType} class="tile">
                <a href={hrefOf("rule", null, { type: configType })}>
                  <span class="tile-name">{name}</span>
                  <span class="muted">{summary}</span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

function Shown({ of }: { readonly of: readonly RuleTemplate[] }): JSX.Element {
  const { id, query } = route.value;
  if (id !== null) return <SavedRule id={id} all={of} />;
  const wanted = query["type"];
  const template = of.find(({ configType }) => configType === wanted);
  if (template !== undefined) return <NewRule template={template} />;
  return wanted === undefined ? <Kinds of={of} /> : <h1 tabIndex={-1}>{t("error.missing")}</h1>;
}

/** A rule: its kind is chosen, then its form filled in and tried. */
export function RuleScreen(): JSX.Element {
  const { asked, again } = useAnswer(templates, languageNow());
  const { id, query } = route.value;
  const isNew = id === null && query["type"] !== undefined;
  return (
    <>
      <a class="back" href={hrefOf(isNew ? "rule" : "rules")}>
        <Icon name="back" />
        {t(isNew ? "rules.new" : "nav.rules")}
      </a>
      {isAtLeast("IDENTIFIED_USER") ? (
        <>
          {asked.value.state !== "done" && <h1 tabIndex={-1}>{t("nav.rules")}</h1>}
          <AnswerFace answer={asked.value} again={again} show={(of) => <Shown of={of} />} />
        </>
      ) : (
        <Denied title={t("nav.rules")} why={t("rule.notYours")} />
      )}
    </>
  );
}
