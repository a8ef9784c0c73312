import { useSignal } from "@preact/signals";
import type { JSX, TargetedSubmitEvent } from "preact";
import { apidoc, type ApiDocument, type Parameter, tryCall } from "../../api/apidoc.ts";
import { useAnswer } from "../../parts/answer.ts";
import { AnswerFace } from "../../parts/faces.tsx";
import { reasonOf } from "../../store/commands.ts";
import { t } from "../../texts/texts.ts";
import { chaptersOf, curlOf, type Endpoint, type Filled, shownAnswer } from "./endpoints.ts";

function QueryField(props: {
  readonly of: Parameter;
  readonly value: string;
  readonly fill: (value: string) => void;
}): JSX.Element {
  const { of, value, fill } = props;
  const { description } = of.schema;
  return (
    <label class="field">
      <span>
        {of.name}
        {of.required === true && ` (${t("api.required")})`}
      </span>
      <input
        type="text"
        autoComplete="off"
        spellcheck={false}
        value={value}
        onInput={(event) => fill(event.currentTarget.value)}
      />
      {description !== undefined && <span class="muted">{description}</span>}
    </label>
  );
}

/** Fills in a call, shows it as a command of curl, and makes it with the key of the page. */
function Trial({ endpoint }: { readonly endpoint: Endpoint }): JSX.Element {
  const { method, path, parameters, hasBody, description } = endpoint;
  const filled = useSignal<Filled>({ query: {}, body: "" });
  const answered = useSignal("");
  const { query, body } = filled.value;
  const send = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const given = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ""));
    try {
      const answer = await tryCall(method, path, given, body);
      answered.value = answer.ok ? shownAnswer(answer.value) : `${answer.status} ${reasonOf(answer)}`;
    } catch {
      answered.value = t("api.noJson");
    }
  };
  return (
    <form onSubmit={(event) => void send(event)} noValidate>
      <p class="muted">{description}</p>
      {parameters.map((of) => (
        <QueryField
          key={of.name}
          of={of}
          value={query[of.name] ?? ""}
          fill={(value) => (filled.value = { body, query: { ...query, [of.name]: value } })}
        />
      ))}
      {hasBody && (
        <label class="field">
          <span>{t("api.body")}</span>
          <textarea
            rows={4}
            spellcheck={false}
            value={body}
            onInput={(event) => (filled.value = { query, body: event.currentTarget.value })}
          />
        </label>
      )}
      <pre class="command" tabIndex={0} aria-label={t("api.curl")}>
        <code>{curlOf(location.origin, endpoint, filled.value)}</code>
      </pre>
      <button type="submit" class={method === "GET" ? "button" : "button main"}>
        {t(method === "GET" ? "api.ask" : "api.change")}
      </button>
      {answered.value !== "" && (
        <pre class="answer" role="region" tabIndex={0} aria-label={t("api.answer")}>
          <code>{answered.value}</code>
        </pre>
      )}
    </form>
  );
}

/** An endpoint, whose form is made when it is opened: there are over a hundred. */
function Row({ endpoint }: { readonly endpoint: Endpoint }): JSX.Element {
  const isOpen = useSignal(false);
  const { method, path, summary } = endpoint;
  return (
    <details class="card" onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>
        <code>
          {method} {path}
        </code>{" "}
        {summary}
      </summary>
      {isOpen.value && <Trial endpoint={endpoint} />}
    </details>
  );
}

function Chapters({ document }: { readonly document: ApiDocument }): JSX.Element {
  const text = useSignal("");
  const chapters = chaptersOf(document, text.value);
  return (
    <>
      <label class="field">
        <span>{t("api.search")}</span>
        <input
          type="search"
          value={text.value}
          onInput={(event) => (text.value = event.currentTarget.value)}
        />
      </label>
      {chapters.length === 0 && <p>{t("api.none")}</p>}
      {chapters.map(({ name, endpoints }) => (
        <section key={name} aria-labelledby={`chapter-${name}`}>
          <h2 id={`chapter-${name}`}>{name}</h2>
          {endpoints.map((endpoint) => (
            <Row key={`${endpoint.method} ${endpoint.path}`} endpoint={endpoint} />
          ))}
        </section>
      ))}
    </>
  );
}

/** Every endpoint of the hub, to read and to try. */
export function ApiScreen(): JSX.Element {
  const { asked, again } = useAnswer(apidoc, "apidoc");
  return (
    <>
      <h1 tabIndex={-1}>{t("api.title")}</h1>
      <p>{t("api.how")}</p>
      <AnswerFace answer={asked.value} again={again} show={(document) => <Chapters document={document} />} />
    </>
  );
}
