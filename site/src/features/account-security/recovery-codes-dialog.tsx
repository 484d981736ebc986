// Recovery codes, shown once, to save, print or copy. The dialog stays open until they are kept.
import { useEffect, useState } from "react";
import { saveFile } from "#lib/browser/save-file.ts";
import { getSupabase } from "#lib/api/supabase.ts";
import { UNREACHABLE } from "#lib/api/refusal.ts";
import { festivalNow } from "#lib/festival/content.ts";
import { secondStepProblem } from "#lib/session/second-step-codes.ts";
import { Button } from "#ui/basics/button.tsx";
import { Checkbox } from "#ui/forms/checkbox.tsx";
import { FieldError } from "#ui/forms/field.tsx";
import { Dialog } from "#ui/overlays/dialog.tsx";
import { ErrorState } from "#ui/page/screen-states.tsx";
import { Skeleton } from "#ui/page/skeleton.tsx";
import { CopyButton } from "./copy-button.tsx";

interface RecoveryCodesDialogProps {
  /** The existing codes stop working. */
  replaces: boolean;
  onClose: () => void;
}

/** In groups of four, which are easier to type. */
const readable = (code: string) => code.replaceAll(/.{4}(?=.)/g, "$&-");

export function RecoveryCodesDialog({ replaces, onClose }: RecoveryCodesDialogProps) {
  const [isAgreed, setIsAgreed] = useState(!replaces);
  const [step, setStep] = useState<"to-keep" | "kept" | "failed">("to-keep");
  const [isHeldOpen, setIsHeldOpen] = useState(false);
  function close() {
    // Once they are being made, closing would lose them for good.
    if (isAgreed && step === "to-keep") setIsHeldOpen(true);
    else onClose();
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && close()}
      // The tick is no choice that could be lost.
      unsaved={false}
      title={isAgreed ? "Save Your Recovery Codes" : "Replace Recovery Codes?"}
      description={
        isAgreed
          ? "Each code signs you in once if you lose your phone. They won't be shown again."
          : "Your current codes will stop working."
      }
    >
      {isAgreed ? (
        <NewCodes {...{ replaces, step, setStep, isHeldOpen, onClose }} />
      ) : (
        <div className="flex flex-wrap justify-end gap-3 max-xs:*:grow">
          <Button variant="secondary" onClick={onClose}>
            Keep Them
          </Button>
          <Button onClick={() => setIsAgreed(true)}>Replace</Button>
        </div>
      )}
    </Dialog>
  );
}

interface NewCodesProps extends RecoveryCodesDialogProps {
  step: "to-keep" | "kept" | "failed";
  setStep: (step: NewCodesProps["step"]) => void;
  /** The user tried to close it before the codes were kept. */
  isHeldOpen: boolean;
}

function NewCodes({ replaces, step, setStep, isHeldOpen, onClose }: NewCodesProps) {
  const [codes, setCodes] = useState<readonly string[]>();
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    makeOnce(replaces).then(
      ({ data, error }) => {
        if (error) fail(secondStepProblem(error)!);
        else setCodes(data.codes.map(readable));
      },
      () => fail(UNREACHABLE),
    );
    function fail(why: string) {
      setFailure(why);
      setStep("failed");
    }
  }, [replaces, setStep]);
  if (failure !== undefined) return <ErrorState title="No codes were created">{failure}</ErrorState>;
  if (!codes) return <Skeleton className="h-52" />;
  const text = `Recovery codes for ${festivalNow().title}, ${location.host}\nEach works once.\n\n${codes.join("\n")}\n`;
  return (
    <div className="space-y-5">
      <ol
        aria-label="Recovery codes"
        className="grid gap-x-6 gap-y-1 border-2 border-ink bg-sheet p-4 font-semibold tracking-wide tabular-nums sm:grid-cols-2"
      >
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ol>
      <div className="flex flex-wrap gap-2">
        <Button
          size="small"
          variant="secondary"
          onClick={() => saveFile(new Blob([text], { type: "text/plain" }), "recovery-codes.txt")}
        >
          Download
        </Button>
        <Button size="small" variant="secondary" onClick={() => printText(text)}>
          Print
        </Button>
        <CopyButton text={text} label="Copy" />
      </div>
      <Checkbox
        checked={step === "kept"}
        onChange={({ target }) => setStep(target.checked ? "kept" : "to-keep")}
        label="I have saved these codes in a safe place."
      />
      {isHeldOpen && step === "to-keep" && (
        <FieldError>
          These codes won't be shown again. Save, print or copy them, then check the box.
        </FieldError>
      )}
      <div className="flex justify-end">
        <Button disabled={step !== "kept"} onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  );
}

let making: { replaces: boolean; answer: ReturnType<typeof make> } | undefined;

/** React may run an effect twice. Make the codes once per dialog. */
function makeOnce(replaces: boolean): ReturnType<typeof make> {
  if (making?.replaces === replaces) return making.answer;
  const answer = make(replaces);
  making = { replaces, answer };
  const forget = () => {
    making = undefined;
  };
  answer.then(forget, forget);
  return answer;
}

async function make(replaces: boolean) {
  const { recoveryCodes } = (await getSupabase()).auth.mfa;
  return replaces ? recoveryCodes.regenerate() : recoveryCodes.generate();
}

/** Prints only the codes, not the page behind them. */
function printText(text: string): void {
  const frame = document.createElement("iframe");
  frame.hidden = true;
  document.body.append(frame);
  const page = frame.contentDocument!;
  const block = page.createElement("pre");
  block.textContent = text;
  page.body.append(block);
  frame.contentWindow!.addEventListener("afterprint", () => frame.remove());
  frame.contentWindow!.print();
}
