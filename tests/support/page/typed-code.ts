// The form for the code in a mail.
import type { Page } from "@playwright/test";

export const codeForm = (page: Page) => page.getByRole("form", { name: "Type your code" });

export const differsFrom = (code: string) => (code === "000000" ? "111111" : "000000");
