// The attacks as a table in Markdown, as docs/OPERATING.md and docs/FIGURES.md show it.
import type { Attacked, Phase } from "./attack-run.ts";

const WANTS = ["page", "read", "sign in", "place in line", "buy"];
const PHASES: readonly Phase[] = ["before", "during", "after"];

export function attackTable(attacked: readonly Attacked[]): string {
  const rows = attacked.map(({ attack, attackers, waited, megabytes: { before, most, after } }) => [
    attack,
    attackers,
    ...WANTS.map((want) => PHASES.map((phase) => waited[phase][want] ?? "-").join(" / ")),
    `${before} / ${most} / ${after}`,
  ]);
  const lines = [
    ["attack", "attackers", ...WANTS.map((want) => `${want}, ms`), "memory, MB"],
    ["---", "--:", ...WANTS.map(() => "--:"), "--:"],
    ...rows,
  ];
  return [
    "Worst waits of honest people before / during / after each attack, and the server's memory before / most / after:",
    "",
    ...lines.map((cells) => `| ${cells.join(" | ")} |`),
  ].join("\n");
}
