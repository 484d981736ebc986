import { expect, it } from "vitest";
import { boxOf, clearest, placesOf } from "./toast-position.ts";

const laptop = { width: 1280, height: 800, rem: 16, onPhone: false };
const phone = { width: 390, height: 844, rem: 16, onPhone: true };
const choose = (window: typeof laptop, controls: object[], focused?: object) =>
  clearest(
    placesOf("bottom", window.onPhone).map((place) => ({ place, box: boxOf(place, "bottom", window) })),
    controls as DOMRect[],
    focused as DOMRect | undefined,
  );
const promoButton = { left: 1100, top: 690, right: 1200, bottom: 735 };
const phoneField = { left: 16, top: 640, right: 374, bottom: 690 };

it("keeps its usual place while that covers nothing", () => {
  expect(choose(laptop, [])).toBe("bottom-right");
  expect(choose(phone, [])).toBe("bottom-center");
});

it("leaves a button or a focused field free", () => {
  expect(choose(laptop, [promoButton])).toBe("bottom-left");
  expect(choose(phone, [phoneField], phoneField)).toBe("top-center");
});

it("covers other controls rather than what has the focus", () => {
  const links = [0, 1, 2].map((index) => ({
    left: 20,
    top: 90 + 30 * index,
    right: 300,
    bottom: 110 + 30 * index,
  }));
  expect(choose(phone, [...links, phoneField], phoneField)).toBe("top-center");
  expect(choose(phone, [...links, phoneField])).toBe("bottom-center");
});

it("stays above a phone's keyboard, or goes to the top", () => {
  expect(choose({ ...phone, height: 500 }, [{ ...phoneField, top: 300, bottom: 350 }])).toBe("top-center");
});
