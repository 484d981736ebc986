// A host of plain files knows no other spelling of an address, so the page follows it there as our server does.
import { useEffect } from "react";
import { useLocation } from "react-router";
import { meantPath } from "contract/meant-path";
import { NotFoundScreen } from "#features/festival/not-found-screen.tsx";
import { pageHead } from "../head.ts";
import { prerenderedPaths } from "../pages.ts";

export const meta = () =>
  pageHead({
    title: "Page Not Found",
    description: "The page you are looking for doesn't exist or has been moved.",
  });

export default function NotFound() {
  const { pathname, search, hash } = useLocation();
  useEffect(() => {
    const meant = meantPath(plain(pathname));
    if (meant !== pathname && meant !== "/404" && prerenderedPaths.includes(meant))
      location.replace(meant + search + hash);
  }, [pathname, search, hash]);
  return <NotFoundScreen />;
}

function plain(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
