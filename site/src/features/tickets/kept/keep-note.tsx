// Shows whether the codes are kept on this device, and lets the buyer decide.
import { Smartphone } from "lucide-react";
import { Button } from "#ui/basics/button.tsx";
import { classNames } from "#ui/basics/class-names.ts";
import { type Keeping, useKeeping } from "./use-keeping.ts";

const words: Record<Exclude<Keeping, "none">, string> = {
  on: "Your codes are saved on this device and open without a connection, on this page, until you log out.",
  partly: "Some codes are saved on this device. The rest are saved once they appear here.",
  off: "Your codes need an internet connection. On your own device, save them for offline use until you log out.",
  failed: "This browser doesn't have room to save your codes. Save their pictures, or print them.",
};

export function KeepNote({ userId }: { userId: string }) {
  const { keeping, isSettled, change } = useKeeping(userId);
  if (keeping === "none") return null;
  return (
    <div className="mb-6 flex flex-wrap items-center gap-x-5 gap-y-3 border-2 border-ink/25 p-4 print:hidden">
      <Smartphone aria-hidden="true" className="size-6 shrink-0" strokeWidth={2} />
      {/* Its place is kept meanwhile, so that the button to the codes does not move under a press. */}
      <p
        role="status"
        className={classNames("min-w-0 flex-1 basis-64 leading-snug", !isSettled && "invisible")}
      >
        {words[keeping]}
      </p>
      {keeping !== "failed" && (
        <Button size="small" variant="secondary" onClick={() => change(keeping === "off")}>
          {keeping === "off" ? "Save on This Device" : "Remove from This Device"}
        </Button>
      )}
    </div>
  );
}
