import type { JSX } from "preact";
import { customRules, customSource, type CustomRuleInfo } from "../../api/custom-rules.ts";
import { momentOf } from "../../format.ts";
import { useAnswer } from "../../parts/answer.ts";
import { Denied } from "../../parts/denied.tsx";
import { AnswerFace } from "../../parts/faces.tsx";
import { Icon } from "../../parts/icon.tsx";
import { hrefOf, route } from "../../route.ts";
import { isAtLeast } from "../../store/roles.ts";
import { t } from "../../texts/texts.ts";
import { Editor } from "./editor.tsx";
import { examples } from "./examples.ts";

function Installed({ of }: { readonly of: readonly CustomRuleInfo[] }): JSX.Element {
  return (
    <>
      {of.length === 0 && <p class="muted">{t("custom.none")}</p>}
      <ul class="tiles">
        {of.map(({ configType, name, version, installedAt, rules }) => (
          <li key={configType} class="tile">
            <a href={hrefOf("custom", configType)}>
              <span class="tile-name">{name}</span>
              <span class="muted">{t("custom.version", { version, time: momentOf(installedAt) })}</span>
              <span class="muted">{t("custom.rules", { n: rules.length })}</span>
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

function List(): JSX.Element {
  const { asked, again } = useAnswer(customRules, "custom");
  return (
    <>
      <h1 tabIndex={-1}>{t("custom.title")}</h1>
      <p class="muted">{t("custom.how")}</p>
      <AnswerFace
        answer={asked.value}
        again={again}
        show={(of) => (
          <>
            <Installed of={of} />
            <h2>{t("custom.new")}</h2>
            <ul class="tiles">
              {examples.map(({ name }) => (
                <li key={name} class="tile">
                  <a href={hrefOf("custom", null, { example: name })}>
                    <span class="tile-name">{t(name)}</span>
                  </a>
                </li>
              ))}
            </ul>
          </>
        )}
      />
    </>
  );
}

/** An installed custom rule. */
function Known({ type }: { readonly type: string }): JSX.Element {
  const { asked, again } = useAnswer((signal) => customSource(type, signal), type);
  return (
    <>
      <h1 tabIndex={-1}>{type}</h1>
      <AnswerFace
        answer={asked.value}
        again={again}
        show={(source) => <Editor key={type} start={source} type={type} name={type} />}
      />
    </>
  );
}

function Shown(): JSX.Element {
  const { id, query } = route.value;
  if (id !== null) return <Known key={id} type={id} />;
  const example = examples.find(({ name }) => name === query["example"]);
  if (example === undefined) return <List />;
  return (
    <>
      <h1 tabIndex={-1}>{t("custom.new")}</h1>
      <Editor key={example.name} start={example.source} type={null} name={example.name} />
    </>
  );
}

/** Custom rules: sources that are checked, drawn, tried and installed. */
export function CustomScreen(): JSX.Element {
  const { id, query } = route.value;
  const isOne = id !== null || query["example"] !== undefined;
  return (
    <>
      <a class="back" href={hrefOf(isOne ? "custom" : "rules")}>
        <Icon name="back" />
        {t(isOne ? "custom.title" : "nav.rules")}
      </a>
      {isAtLeast("USER_ADMIN") ? <Shown /> : <Denied title={t("custom.title")} why={t("rule.notYours")} />}
    </>
  );
}
