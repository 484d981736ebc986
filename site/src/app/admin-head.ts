import { pageHead } from "./head.ts";

export function adminHead(screen: string) {
  return pageHead({
    title: `${screen}, back office`,
    description: "For festival staff.",
  });
}
