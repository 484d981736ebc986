import { NotFoundScreen } from "#features/festival/not-found-screen.tsx";
import { pageHead } from "../head.ts";

export const meta = () =>
  pageHead({
    title: "Page Not Found",
    description: "The page you are looking for doesn't exist or has been moved.",
  });

export default NotFoundScreen;
