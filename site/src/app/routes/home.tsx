import { HomeScreen } from "#features/festival/home-screen.tsx";
export default HomeScreen;
