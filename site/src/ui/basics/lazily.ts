import { lazy, type ComponentType } from "react";

const AGAIN_MS = 2000;

/** React.lazy that retries until the file loads. React itself would remember the failure and break the page around it for good. */
export function lazily<Props extends object>(load: () => Promise<{ default: ComponentType<Props> }>) {
  const keepLoading = (): Promise<{ default: ComponentType<Props> }> =>
    load().catch(async () => {
      await new Promise((done) => setTimeout(done, AGAIN_MS));
      return keepLoading();
    });
  return lazy(keepLoading);
}
