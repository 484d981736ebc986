// The real page in an iframe, so that it lays itself out for a phone or a desktop beside the form. It is the same React tree,
// rendered into the frame's document: edits show at once, and nothing is sent anywhere.
import { Component, type ReactNode, useLayoutEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { classNames } from "#ui/basics/class-names.ts";

const WIDTHS = { phone: 390, desk: 1280 } as const;
const EMPTY = '<!doctype html><html lang="en-US"><head><title>Preview</title></head><body></body></html>';

export function PreviewFrame({ children }: { children: ReactNode }) {
  const [size, setSize] = useState<keyof typeof WIDTHS>("phone");
  const [body, setBody] = useState<HTMLElement>();
  const [room, setRoom] = useState<number>(WIDTHS.phone);
  const pane = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => setRoom(entry!.contentRect.width));
    observer.observe(pane.current!);
    return () => observer.disconnect();
  }, []);
  const width = WIDTHS[size];
  const scale = Math.min(1, room / width);
  return (
    <div className="min-w-0">
      <div role="group" aria-label="Preview width" className="mb-2 flex gap-1">
        {(["phone", "desk"] as const).map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={one === size}
            onClick={() => setSize(one)}
            className="min-h-11 border-2 border-ink px-3 font-semibold aria-pressed:bg-ink aria-pressed:text-paper"
          >
            {one === "phone" ? "Phone" : "Desktop"}
          </button>
        ))}
      </div>
      <div ref={pane} className="h-[min(44rem,75dvh)] overflow-hidden border-2 border-ink bg-sheet">
        {/* oxlint-disable-next-line react/iframe-missing-sandbox -- empty but for what this tree puts there */}
        <iframe
          title="Preview of the page"
          srcDoc={EMPTY}
          onLoad={({ currentTarget }) => setBody(dressed(currentTarget.contentDocument!))}
          style={{ width, height: `${100 / scale}%`, scale: String(scale) }}
          className={classNames("block origin-top-left", scale === 1 && "mx-auto")}
        />
      </div>
      {body && createPortal(<Shown>{children}</Shown>, body)}
    </div>
  );
}

/** Adds the site's own styles. */
function dressed(frame: Document): HTMLElement {
  for (const sheet of document.querySelectorAll('style, link[rel="stylesheet"]'))
    frame.head.append(frame.importNode(sheet, true));
  return frame.body;
}

/** Links in the preview do not navigate, and forms do not submit. */
function Shown({ children }: { children: ReactNode }) {
  return (
    // A separate region: the page's header is not the back office's.
    <section
      aria-label="The page"
      data-typed=""
      onClickCapture={(event) => {
        if ((event.target as Element).closest("a, [type=submit]")) {
          event.preventDefault();
          event.stopPropagation();
        }
      }}
      onSubmitCapture={(event) => event.preventDefault()}
    >
      <Safe>{children}</Safe>
    </section>
  );
}

/** A page that fails to render must not break the form. */
class Safe extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };
  static getDerivedStateFromError() {
    return { failed: true };
  }
  override render() {
    return this.state.failed ? (
      <p role="alert">The page can't be previewed with this text.</p>
    ) : (
      this.props.children
    );
  }
}
