import { useSignal } from "@preact/signals";
import type { JSX, TargetedSubmitEvent } from "preact";
import { useRef } from "preact/hooks";
import { apidoc, type ApiDocument, type Parameter, tryCall } from "../../api/apidoc.ts";
import { copyText } from "../../browser.ts";
import { useAnswer } from "../../parts/answer.ts";
import { AskedTwice } from "../../parts/asked-twice.tsx";
import { AnswerFace } from "../../parts/faces.tsx";
import { reasonOf } from "../../store/commands.ts";
import { notify } from "../../store/notices.ts";
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

/** A call as a command of curl, to copy. */
function Command({ text }: { readonly text: string }): JSX.Element {
  const shown = useRef<HTMLPreElement>(null);
  const copied = (): void => {
    const isCopied = shown.current !== null && copyText(shown.current);
    notify(t(isCopied ? "api.copied" : "health.copyYourself"), { isError: !isCopied });
  };
  return (
    <>
      <pre class="command" tabIndex={0} ref={shown} aria-label={t("api.curl")}>
        <code>{text}</code>
      </pre>
      <button type="button" class="button" onClick={copied}>
        {t("api.copy")}
      </button>
    </>
  );
}

/** Fills in a call, shows it as a command of curl, and makes it with the key of the page. */
function Trial({ endpoint }: { readonly endpoint: Endpoint }): JSX.Element {
  const { method, path, parameters, hasBody, description } = endpoint;
  const filled = useSignal<Filled>({ query: {}, body: "" });
  const answered = useSignal("");
  const sent = useSignal(0);
  const { query, body } = filled.value;
  const isQuestion = method === "GET";
  const send = async (): Promise<void> => {
    const given = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ""));
    try {
      const answer = await tryCall(method, path, given, body);
      answered.value = answer.ok ? shownAnswer(answer.value) : `${answer.status} ${reasonOf(answer)}`;
    } catch {
      answered.value = t("api.noJson");
    }
    sent.value++;
  };
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    // Enter in a field changes nothing: a change is asked for.
    if (isQuestion) void send();
  };
  return (
    <form onSubmit={submit} noValidate>
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
      <Command text={curlOf(location.origin, endpoint, filled.value)} />
      {isQuestion ? (
        <button type="submit" class="button">
          {t("api.ask")}
        </button>
      ) : (
        <AskedTwice
          key={sent.value}
          text={t("api.change")}
          question={t("api.sure")}
          yes={t("api.send")}
          no={t("api.leave")}
          act={send}
        />
      )}
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
