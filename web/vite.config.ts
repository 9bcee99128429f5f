import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

// `npx vite` serves the pages beside a running `linnet annotate`, or `linnet map review --port 8765`.
export default defineConfig(({ mode }) => ({
  plugins: [svelte()],
  server: { proxy: { "/api": "http://127.0.0.1:8765" } },
  build: {
    outDir: "../src/linnet/annotate/web",
    emptyOutDir: true,
    rolldownOptions: { input: ["index.html", "mapping.html"] },
    target: "es2022",
    // The content-security policy allows no data: scripts or styles, so nothing is put in line.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  // Logic alone, with Svelte as the browser has it; what the page does is tested in a browser, by tests/web.
  test: { include: ["tests/**/*.test.ts"], environment: "node" },
  ...(mode === "test" ? { resolve: { conditions: ["browser"] } } : {}),
}));
