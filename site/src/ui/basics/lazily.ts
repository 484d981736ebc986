import { lazy, type ComponentType } from "react";

const AGAIN_MS = 2000;

/** A component whose file is asked for until it comes: React would remember a failure, and break the page around it, for good. */
export function lazily<Props extends object>(load: () => Promise<{ default: ComponentType<Props> }>) {
  const keepLoading = (): Promise<{ default: ComponentType<Props> }> =>
    load().catch(async () => {
      await new Promise((done) => setTimeout(done, AGAIN_MS));
      return keepLoading();
    });
  return lazy(keepLoading);
}
