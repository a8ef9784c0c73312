import { useSignal } from "@preact/signals";
import type { JSX, TargetedSubmitEvent } from "preact";
import { pairCamera } from "../../api/pairing.ts";
import { CameraLoginFields } from "../../parts/camera-login-fields.tsx";
import { LiveButton } from "../../parts/live-button.tsx";
import { Problem } from "../../parts/problem.tsx";
import { TextField } from "../../parts/text-field.tsx";
import { reasonOf } from "../../store/commands.ts";
import { sync } from "../../store/home.ts";
import { isKey, t } from "../../texts/texts.ts";
import { useNewcomers } from "./newcomers.ts";
import { Onward } from "./onward.tsx";

/** Codes of a camera that the home has, or has now. */
const found = 0;
const known = 1;

/** Returns what helps with a camera that did not come in; empty where the hub's words say all. */
function helpOf(code: number): string {
  const key = `cameraHelp.${code}`;
  return isKey(key) ? t(key) : "";
}

/** Asks for a camera by its address and login, and says what the camera answered. */
export function CameraForm(): JSX.Element {
  const address = useSignal("");
  const username = useSignal("");
  const password = useSignal("");
  const fault = useSignal("");
  const problem = useSignal("");
  const said = useSignal("");
  const isAsking = useSignal(false);
  const ask = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    if (isAsking.value) return;
    fault.value = address.value.trim() === "" ? t("login.missing") : "";
    said.value = problem.value = "";
    if (fault.value !== "") return;
    isAsking.value = true;
    const answer = await pairCamera(address.value.trim(), username.value, password.value);
    isAsking.value = false;
    if (!answer.ok) {
      const [first] = answer.errors;
      if (first?.field === "ip") fault.value = t("camera.badAddress");
      else problem.value = reasonOf(answer);
      return;
    }
    const { code, message, host } = answer.value;
    if (code !== found && code !== known) {
      problem.value = `${message} ${helpOf(code)}`.trim();
      return;
    }
    const name = host?.name ?? address.value.trim();
    said.value = t(code === found ? "camera.found" : "camera.known", { name });
    password.value = "";
    sync.hurry();
  };
  return (
    <form onSubmit={(event) => void ask(event)} noValidate>
      <TextField
        id="camera-address"
        label={t("camera.address")}
        how={t("camera.addressHow")}
        value={address.value}
        fault={fault.value}
        put={(text) => (address.value = text)}
      />
      <CameraLoginFields id="camera" username={username} password={password} fault="" />
      <p role="status">{isAsking.value ? t("camera.asking") : said.value}</p>
      <Problem>{problem.value}</Problem>
      <LiveButton isMain isBlocked={isAsking.value}>
        {t("camera.ask")}
      </LiveButton>
    </form>
  );
}

/** Brings cameras in, each by its address. */
export function Camera(props: {
  readonly stop: () => void;
  readonly done: (ids: readonly string[]) => void;
}): JSX.Element {
  const { stop, done } = props;
  const come = useNewcomers();
  return (
    <>
      <h1 tabIndex={-1}>{t("camera.title")}</h1>
      <p>{t("camera.first")}</p>
      <CameraForm />
      <Onward come={come.value} done={done} stop={stop} />
    </>
  );
}
