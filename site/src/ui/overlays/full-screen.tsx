// Something on the whole screen until it is closed, with the display kept awake. Where a browser has no full screen, as on a
// phone, it covers the window.
import * as Primitive from "radix-ui/dialog";
import { useEffect, useRef, type ReactNode } from "react";
import { useFocusReturn } from "./focus-return.ts";

interface FullScreenProps {
  /** What is shown. */
  label: string;
  onClose: () => void;
  children: ReactNode;
}

/** While the browser leaves its full screen. What is opened meanwhile waits: it would be closed by the end of what was there before. */
let leaving: Promise<unknown> | undefined;

/** Open it by a press: browsers give the whole screen to nobody else. */
export function FullScreen({ label, onClose, children }: FullScreenProps) {
  const close = useRef(onClose);
  const { remember, onCloseAutoFocus } = useFocusReturn();
  useEffect(() => {
    close.current = onClose;
  });
  useEffect(() => {
    const page = document.documentElement;
    let isShown = true;
    // Escape leaves the browser's full screen first, and says nothing to the page but this.
    const onChange = () => {
      if (!document.fullscreenElement) close.current();
    };
    async function enter() {
      if (leaving) await leaving;
      if (!isShown) return;
      await page.requestFullscreen?.();
      if (isShown) document.addEventListener("fullscreenchange", onChange);
    }
    const entered = enter().catch(() => undefined);
    const releaseLock = stayAwake();
    return () => {
      isShown = false;
      document.removeEventListener("fullscreenchange", onChange);
      leaving = entered
        .then(() => document.fullscreenElement && document.exitFullscreen())
        .catch(() => undefined)
        .finally(() => (leaving = undefined));
      releaseLock();
    };
  }, []);
  return (
    <Primitive.Root open onOpenChange={(open) => !open && onClose()}>
      <Primitive.Portal>
        <Primitive.Content
          aria-describedby={undefined}
          onOpenAutoFocus={remember}
          onCloseAutoFocus={onCloseAutoFocus}
          className="fixed inset-0 z-50 overflow-y-auto bg-paper text-ink outline-none print:static print:overflow-visible"
        >
          <Primitive.Title className="sr-only">{label}</Primitive.Title>
          {children}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}

/** The lock ends whenever the page is hidden, and is taken again when it is back. Returns how to stop. */
function stayAwake(): () => void {
  let lock: WakeLockSentinel | undefined;
  let stopped = false;
  const take = () => {
    if (document.visibilityState !== "visible") return;
    navigator.wakeLock?.request("screen").then(
      (taken) => {
        if (stopped) void taken.release();
        else lock = taken;
      },
      () => undefined,
    );
  };
  take();
  document.addEventListener("visibilitychange", take);
  return () => {
    stopped = true;
    document.removeEventListener("visibilitychange", take);
    void lock?.release();
  };
}
