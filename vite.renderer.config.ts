// Builds the one React app for its two homes: /admin on the gateway, and app:// in the desktop window.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type Rolldown } from 'vite'
import { API, type Route, type RouteTable } from './gateway/contract/index.ts'

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

/** Method, path and kind of each endpoint in place of the tables with their schemas: what a client sends needs no more. */
function routesAsData(): Plugin {
  return {
    name: 'routes-as-data',
    enforce: 'pre',
    apply: 'build',
    load(id) {
      if (!/renderer[\\/]api[\\/]routes\.ts$/.test(id)) return null
      const bare = ({ method, path: at, produces }: Route): object => ({ method, path: at, produces })
      const mapped = <T, R>(table: Readonly<Record<string, T>>, to: (value: T) => R): object =>
        Object.fromEntries(Object.entries(table).map(([name, value]) => [name, to(value)]))
      return `export const ROUTES = ${JSON.stringify(mapped<RouteTable, object>(API, (table) => mapped(table, bare)))}`
    },
  }
}

const RENDERER = path.resolve(import.meta.dirname, 'renderer')

/** They run before the modules with texts, so they are in no chunk with them. */
const OF_THE_ENTRY = /main\.tsx$|\.html|\.css$/

/** No other page loads these. */
const OF_THE_STUDIO = /renderer[\\/]studio[\\/]|pcg-bridge[\\/]|node_modules[\\/](@xyflow[\\/]|d3-|yaml[\\/])/

export default defineConfig({
  root: RENDERER,
  base: './',
  plugins: [routesAsData(), react(), tailwindcss(), twoHomes(), packed()],
  resolve: { alias: [{ find: /^zod$/, replacement: path.join(RENDERER, 'zod.ts') }] },
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
      // A page then loads what it uses of the contract, not all of its schemas.
      treeshake: { moduleSideEffects: [{ test: /gateway[\\/]contract[\\/]/, sideEffects: false }] },
      // The last two are not in the page: as entries they state what is loaded first.
      input: ['index.html', 'start.tsx', 'admin/overview/OverviewPage.tsx'].map((file) => path.join(RENDERER, file)),
      output: {
        codeSplitting: {
          groups: [
            { name: 'zod', test: /node_modules[\\/]zod[\\/]|renderer[\\/]zod\.ts$/, priority: 3 },
            // Runs before every module with texts, so it is beside none of them; nor is what loads it.
            {
              name: 'language',
              test: /renderer[\\/]language[\\/]language\.ts$|contract[\\/]translate\.ts$|preload-helper/,
              priority: 3,
            },
            { name: 'react', test: /node_modules[\\/](react|react-dom|scheduler)[\\/]/, priority: 2 },
            // What the frame and the overview use. A page then asks for ten files, not sixty: each costs the browser more than the bytes it does without.
            { name: 'first', test: (id) => !OF_THE_ENTRY.test(id), tags: ['$initial'], priority: 2 },
            { name: 'shared', test: (id) => !OF_THE_STUDIO.test(id), minShareCount: 3, priority: 1 },
            // It takes what its modules import along, so it comes after what all pages share.
            { name: 'studio', test: OF_THE_STUDIO, minShareCount: 3 },
          ],
        },
      },
    },
  },
})
