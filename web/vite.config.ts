import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

// `npx vite` serves the page beside a running `linnet annotate`.
export default defineConfig({
  plugins: [svelte()],
  server: { proxy: { "/api": "http://127.0.0.1:8765" } },
  build: {
    outDir: "../src/linnet/annotate/web",
    emptyOutDir: true,
    target: "es2022",
    // The content-security policy allows no data: scripts or styles, so nothing is put in line.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
