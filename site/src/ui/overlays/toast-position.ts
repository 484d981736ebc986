// Where messages cover the least: never what has the focus while there is another place, and as few controls as possible.
import type { ToastEdge } from "./toast.ts";

export type ToastPosition = "top-center" | "bottom-center" | "bottom-right" | "bottom-left";

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** As the stylesheet of the toasts' library has it. */
const WIDTH = 356;
const MARGIN = 24;
/** Three messages on top of each other, the front one with two lines of description. */
const HEIGHT = 130;

/** From the window's top, below the public pages' bar; the middle of the back office's own bar is empty. In rem. */
export const topOffset = (edge: ToastEdge) => (edge === "top" ? 0.5 : 5);
/** From a phone's lower edge, where a bar or a main button may be. In rem. */
export const PHONE_BOTTOM = 6;

/** The places in order of preference. */
export function placesOf(edge: ToastEdge, onPhone: boolean): readonly ToastPosition[] {
  if (onPhone) return ["bottom-center", "top-center"];
  return edge === "top"
    ? ["top-center", "bottom-right", "bottom-left"]
    : ["bottom-right", "bottom-left", "top-center"];
}

/** What messages at this place cover of a window whose visible part ends above a phone's keyboard. */
export function boxOf(
  place: ToastPosition,
  edge: ToastEdge,
  { width, height, rem, onPhone }: { width: number; height: number; rem: number; onPhone: boolean },
): Box {
  const wide = onPhone ? width - 32 : WIDTH;
  const top = place.startsWith("top")
    ? topOffset(edge) * rem
    : height - HEIGHT - (onPhone ? PHONE_BOTTOM * rem : MARGIN);
  const left = place.endsWith("center")
    ? (width - wide) / 2
    : place.endsWith("right")
      ? width - wide - MARGIN
      : MARGIN;
  return { left, top, right: left + wide, bottom: top + HEIGHT };
}

const meet = (one: Box, other: Box): boolean =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

/** The first place that covers least. */
export function clearest(
  places: readonly { place: ToastPosition; box: Box }[],
  controls: readonly Box[],
  focused: Box | undefined,
): ToastPosition {
  const cost = ({ box }: { box: Box }) =>
    controls.filter((control) => meet(box, control)).length + (focused && meet(box, focused) ? 1000 : 0);
  return places.reduce((best, one) => (cost(one) < cost(best) ? one : best)).place;
}

const CONTROLS = "a[href], button, input, select, textarea, iframe, summary, [tabindex='0']";
const OWN = "[data-sonner-toaster], [data-sonner-toaster] *";

/** What has the focus, unless that is a whole page or dialog after a change of screen. */
function focusedBox(): Box | undefined {
  const { activeElement } = document;
  return activeElement?.matches(CONTROLS) && !activeElement.matches(OWN)
    ? activeElement.getBoundingClientRect()
    : undefined;
}

export function choosePosition(edge: ToastEdge, onPhone: boolean): ToastPosition {
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const window = { width: innerWidth, height: visualViewport?.height ?? innerHeight, rem, onPhone };
  const places = placesOf(edge, onPhone).map((place) => ({ place, box: boxOf(place, edge, window) }));
  const controls = [...document.querySelectorAll(CONTROLS)]
    .filter((element) => !element.matches(OWN))
    .map((element) => element.getBoundingClientRect());
  return clearest(places, controls, focusedBox());
}

/** Whether a message lies over what has the focus. */
export function isFocusCovered(): boolean {
  const focused = focusedBox();
  return (
    focused !== undefined &&
    [...document.querySelectorAll("[data-sonner-toast]")].some((toast) =>
      meet(toast.getBoundingClientRect(), focused),
    )
  );
}
