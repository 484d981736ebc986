import { useState } from "react";
import { count } from "#lib/format.ts";
import type { GateEngine } from "../device/engine.ts";
import type { GateSnapshot } from "../device/snapshot.ts";
import { themes, usePlates, useSound, useTheme } from "../preferences.ts";
import { timeOf, whenOf } from "../rules/words.ts";
import { InstallHint } from "./install-hint.tsx";
import { noticesWord } from "./notices-sheet.tsx";
import { Sheet } from "./sheet.tsx";

interface MenuSheetProps {
  engine: GateEngine;
  gate: GateSnapshot;
  onClose: () => void;
  onChoose: () => void;
  onLeave: () => void;
  onNotices: () => void;
}

export function MenuSheet({ engine, gate, onClose, onChoose, onLeave, onNotices }: MenuSheetProps) {
  const [theme, setTheme] = useTheme();
  const [sound, setSound] = useSound();
  const [plates, setPlates] = usePlates();
  const ends = gate.opened?.expires_at ?? undefined;
  return (
    <Sheet title="Menu" onClose={onClose}>
      <dl className="gate-facts">
        <dt>Entrance</dt>
        <dd>{gate.entrance?.name}</dd>
        <dt>This phone</dt>
        <dd>{gate.opened?.device.name}</dd>
        {ends !== undefined && (
          <>
            <dt>Until</dt>
            <dd>{whenOf(ends, engine.now())}</dd>
          </>
        )}
        <dt>List</dt>
        <dd>
          {count(gate.listed, "code")}
          {gate.listAt !== undefined && ` from ${timeOf(gate.listAt)}`}
        </dd>
      </dl>
      <div className="gate-stack">
        <button type="button" className="gate-button" onClick={onChoose}>
          {gate.opened?.device.is_bound ? "Change name" : "Change entrance or name"}
        </button>
        {gate.notices.length > 0 && (
          <button type="button" className="gate-button" onClick={onNotices}>
            {noticesWord(gate.notices)}
          </button>
        )}
        {gate.opened?.sells_at_door && (
          <a className="gate-button" href="/admin/door">
            Door Sales
          </a>
        )}
        <Switch label="Sound" value={sound} onChange={setSound} />
        {gate.entrance?.admits !== "tickets" && (
          <Switch label="Ask for license plates" value={plates} onChange={setPlates} />
        )}
        <fieldset className="gate-themes">
          <legend>Screen</legend>
          {themes.map((one) => (
            <label key={one}>
              <input type="radio" name="theme" checked={theme === one} onChange={() => setTheme(one)} />
              <span>{themeWords[one]}</span>
            </label>
          ))}
        </fieldset>
        <InstallHint isForTheDay={ends !== undefined} />
        <SignOut gate={gate} onLeave={onLeave} />
      </div>
    </Sheet>
  );
}

/** Asks for confirmation: a thumb slips, and an invited device can only return through its link. */
function SignOut({ gate, onLeave }: Pick<MenuSheetProps, "gate" | "onLeave">) {
  const [step, setStep] = useState<"none" | "asking" | "leaving">("none");
  if (step === "none") {
    return (
      <button type="button" className="gate-button" onClick={() => setStep("asking")}>
        Sign out
      </button>
    );
  }
  return (
    <div className="gate-stack" role="group" aria-label="Sign out">
      <p className="gate-notice" data-tone="wait">
        {gate.pending > 0 && `${count(gate.pending, "scan")} to sync. They stay on this phone. `}
        To come back, you need your email and password or an unused invitation link.
      </p>
      <button
        type="button"
        className="gate-button"
        data-main
        disabled={step === "leaving"}
        onClick={() => {
          setStep("leaving");
          onLeave();
        }}
      >
        {step === "leaving" ? "One moment…" : "Yes, sign out"}
      </button>
      <button
        type="button"
        className="gate-button"
        disabled={step === "leaving"}
        onClick={() => setStep("none")}
      >
        Stay
      </button>
    </div>
  );
}

const themeWords = { auto: "Match phone", bright: "Bright", dark: "Dark" } as const;

function Switch(props: { label: string; value: string; onChange: (value: string) => void }) {
  const isOn = props.value === "on";
  return (
    <label className="gate-switch">
      <input
        type="checkbox"
        role="switch"
        checked={isOn}
        aria-checked={isOn}
        onChange={() => props.onChange(isOn ? "off" : "on")}
      />
      {props.label}
    </label>
  );
}
