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

/** Open it by a press: browsers give the whole screen to nobody else. */
export function FullScreen({ label, onClose, children }: FullScreenProps) {
  const close = useRef(onClose);
  const { remember, onCloseAutoFocus } = useFocusReturn();
  useEffect(() => {
    close.current = onClose;
  });
  useEffect(() => {
    const page = document.documentElement;
    let wasFull = false;
    // Escape leaves the browser's full screen first, and says nothing to the page but this. Of what was on it before, the end may
    // be told only now.
    const onChange = () => {
      if (document.fullscreenElement) wasFull = true;
      else if (wasFull) close.current();
    };
    document.addEventListener("fullscreenchange", onChange);
    page.requestFullscreen?.().catch(() => undefined);
    const releaseLock = stayAwake();
    return () => {
      document.removeEventListener("fullscreenchange", onChange);
      if (document.fullscreenElement) document.exitFullscreen().catch(() => undefined);
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
