// Builds the one React app for its two homes: /admin on the gateway, and app:// in the desktop window.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type Rolldown } from 'vite'

/** What the entry imports after the language: the browser asks for it at once, not after the entry has run. */
function preloads(bundle: Rolldown.OutputBundle, page: string): string {
  const names = new Set<string>()
  const add = (name: string): void => {
    const chunk = bundle[name]
    if (chunk?.type !== 'chunk' || names.has(name)) return
    names.add(name)
    for (const each of chunk.imports) add(each)
  }
  const start = Object.values(bundle).find(
    (each) => each.type === 'chunk' && each.facadeModuleId?.endsWith('start.tsx'),
  )
  add(start?.fileName ?? '')
  const missing = [...names].filter((name) => !page.includes(name))
  return missing.map((name) => `  <link rel="modulepreload" crossorigin href="./${name}">\n  `).join('')
}

/**
 * Chunks find each other relatively, so one build serves both homes; only the page differs.
 * `desktop.html` links relatively; `index.html` links from `/admin/`, because a deep link has no folder of its own.
 */
function twoHomes(): Plugin {
  return {
    name: 'two-homes',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const page = bundle['index.html']
      if (page?.type !== 'asset') return
      const html = String(page.source).replace('</head>', `${preloads(bundle, String(page.source))}</head>`)
      this.emitFile({ type: 'asset', fileName: 'desktop.html', source: html })
      page.source = html.replace(/(src|href)="\.\//g, '$1="/admin/')
    },
  }
}

/** The gateway sends these in place of the files beside them. */
function packed(): Plugin {
  return {
    name: 'packed',
    apply: 'build',
    writeBundle({ dir = '' }) {
      for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
        if (!/\.(js|css|svg|html)$/.test(name)) continue
        const file = path.join(dir, name)
        const bytes = readFileSync(file)
        if (bytes.length < 1024) continue
        const quality = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
        writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params: quality }))
        writeFileSync(`${file}.gz`, gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }))
      }
    },
  }
}

/** No other page loads these. */
const OF_THE_STUDIO = /renderer[\\/]studio[\\/]|pcg-bridge[\\/]|node_modules[\\/](@xyflow[\\/]|d3-|yaml[\\/])/

export default defineConfig({
  root: path.resolve(import.meta.dirname, 'renderer'),
  base: './',
  plugins: [react(), tailwindcss(), twoHomes(), packed()],
  build: {
    outDir: path.resolve(import.meta.dirname, 'dist/renderer'),
    emptyOutDir: true,
    target: 'es2024',
    cssTarget: 'chrome125',
    // The policy allows no inline script and no foreign origin: nothing is inlined, nothing is polyfilled.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // One chunk is larger than 600 kB, three with what draws points, and it is loaded when points are first looked at.
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // In one chunk with zod, the configuration runs before any other chunk builds a schema.
            { name: 'zod', test: /node_modules[\\/]zod[\\/]|renderer[\\/]jitless\.ts$/, priority: 2 },
            // Runs before every module with texts, so it is beside none of them.
            { name: 'language', test: /renderer[\\/]language[\\/](language|translate)\.ts$/, priority: 2 },
            { name: 'react', test: /node_modules[\\/](react|react-dom|scheduler)[\\/]/, priority: 1 },
            // A page then asks for ten files, not sixty: each costs the browser more than the bytes it does without.
            { name: 'shared', test: (id) => !OF_THE_STUDIO.test(id), minShareCount: 3, priority: 1 },
            // It takes what its modules import along, so it comes after what all pages share.
            { name: 'studio', test: OF_THE_STUDIO, minShareCount: 3 },
          ],
        },
      },
    },
  },
})
