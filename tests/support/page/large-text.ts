// A phone whose owner has set text to twice its size, and the parts of a page that do not fit there.
import { expect, type Page } from "@playwright/test";

type TextSize = "normal" | "large";

/** Sets the browser's own setting: media queries follow it too. A screenshot undoes it. */
export async function textSizeOf(page: Page): Promise<(size: TextSize) => Promise<void>> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Page.enable");
  const sizes = { normal: { standard: 16, fixed: 13 }, large: { standard: 32, fixed: 26 } };
  return (size) => devtools.send("Page.setFontSizes", { fontSizes: sizes[size] }).then(() => {});
}

export async function setLargeText(page: Page): Promise<void> {
  await page.setViewportSize({ width: 390, height: 844 });
  const setTextSize = await textSizeOf(page);
  await setTextSize("large");
}

/** Nothing scrolls sideways, no word that fits a line is broken, and nothing covers a control. */
export async function expectFits(page: Page, where: string): Promise<void> {
  await expect(page.locator("html"), where).toHaveCSS("font-size", "34px");
  await expect(page.locator("[data-loading]"), where).toHaveCount(0);
  // A temporary message may cover a button.
  await expect.poll(() => page.evaluate(coveredControls), `covered on ${where}`).toEqual([]);
  const words = { within: "main, [role=dialog], [role=alertdialog]", longest: 12 };
  await expect.poll(() => page.evaluate(brokenWords, words), `words broken inside on ${where}`).toEqual([]);
  expect(await page.evaluate(sidewaysScroll), `pixels to scroll sideways on ${where}`).toBeLessThanOrEqual(0);
}

/** The widest overflow of everything scrollable, except tables in their own region. */
function sidewaysScroll(): number {
  const frames = document.querySelectorAll("html, [role=dialog], [role=alertdialog], dialog[open]");
  return Math.max(...[...frames].map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth));
}

/**
 * The words that are broken over two lines, in the page's own typefaces; words longer than `longest` may be.
 */
export async function brokenWords({
  within,
  longest,
}: {
  within: string;
  longest: number;
}): Promise<string[]> {
  await document.fonts.ready;
  const broken: string[] = [];
  for (const part of document.querySelectorAll(within)) {
    const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      const { clipPath, textOverflow, wordBreak } = getComputedStyle(text.parentElement!);
      // Skips text for screen readers only, truncated names, and raw records, which break anywhere.
      if (clipPath !== "none" || textOverflow === "ellipsis" || wordBreak === "break-all") continue;
      if (text.parentElement!.closest(".sr-only")) continue;
      for (const { 0: word, index } of (text.nodeValue ?? "").matchAll(/[^\s-]+/g)) {
        // An address is longer than a line, and breaks after its "@".
        if (word.length > longest || /@|\bexample\b/.test(word)) continue;
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        // A styled first letter belongs to the same line.
        const parts = [...range.getClientRects()];
        if (parts.some(({ left }, at) => at > 0 && left < parts[at - 1]!.right - 1)) broken.push(word);
      }
    }
  }
  return broken;
}

/** Links and buttons of what is open, the page or a dialog over it, whose clicks land on something else. */
function coveredControls(): string[] {
  const covered = new Set<string>();
  const open = document.querySelector("[role=dialog], [role=alertdialog], dialog[open]");
  for (const control of (open ?? document.querySelector("main")!).querySelectorAll("a, button:enabled")) {
    if (!control.checkVisibility() || control.closest("[inert]")) continue;
    control.scrollIntoView({ block: "center" });
    // A link within text may be broken over two lines, with a box for each.
    for (const { left, top, width, height } of control.getClientRects()) {
      if (width === 0) continue;
      for (const part of [0.1, 0.5, 0.9]) {
        const hit = document.elementFromPoint(left + width * part, top + height / 2);
        if (!control.contains(hit)) covered.add(control.textContent || (control.ariaLabel ?? ""));
      }
    }
  }
  return [...covered];
}
