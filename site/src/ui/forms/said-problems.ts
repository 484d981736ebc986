// Announces the messages under fields: those that appear together once, each with the name of its field and of its group ("Attendee
// 2"), because the same words stand under several fields.
import { announce, ANNOUNCER } from "../overlays/announce.ts";

/** The focus moves to the first field meanwhile, which would interrupt the words. */
const PAUSE_MS = 150;

let appeared: HTMLElement[] = [];
/** The words last announced, and those of their messages that are still on the page. */
let said: { words: string; messages: HTMLElement[] } = { words: "", messages: [] };

/** Returns a function for when the message goes: once none is left, whoever reads on meets no old mistake. */
export function sayProblem(message: HTMLElement): () => void {
  sayTogether(message);
  return () => {
    const before = said.messages.length;
    said.messages = said.messages.filter((one) => one !== message);
    const region = document.getElementById(ANNOUNCER);
    if (before > 0 && said.messages.length === 0 && region?.textContent === said.words) announce("");
  };
}

function sayTogether(message: HTMLElement): void {
  if (appeared.push(message) > 1) return;
  setTimeout(() => {
    const all = new Set(appeared.filter((one) => one.isConnected));
    appeared = [];
    if (all.size === 0) return;
    const each = [...all].map((one) => [...namesOf(one), one.textContent].join(": "));
    const words =
      each.length === 1
        ? each.join("")
        : `${each.length} problems. ${each.map((one) => one.replace(/\.$/, "")).join(". ")}`;
    said = { words, messages: [...all] };
    announce(words);
    focusFirst([...all]);
  }, PAUSE_MS);
}

/** From a form's button, which would send the same again. */
function focusFirst(messages: readonly HTMLElement[]): void {
  const pressed = document.activeElement;
  if (!(pressed instanceof HTMLButtonElement) || pressed.type !== "submit") return;
  if (messages.some((one) => pressed.form?.contains(one))) {
    pressed.form?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }
}

function namesOf(message: HTMLElement): string[] {
  const field = document.querySelector<HTMLInputElement>(`[aria-describedby~="${CSS.escape(message.id)}"]`);
  const names = [field?.closest("fieldset")?.querySelector("legend"), field?.labels?.[0]];
  return names.flatMap((name) => name?.textContent || []);
}
