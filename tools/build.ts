// Builds what the sources say into dist/: the renderer, the headless gateway, the desktop's main and preload.
import { cpSync, existsSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type InlineConfig, type Plugin } from 'vite'
import { startServer } from './bench/server.ts'
import { plainHttp } from './plain-http.ts'
import { plainUndici } from './plain-undici.ts'
import { isStale, markBuilt, sourcesTouched } from './stale.mjs'
import { withWorkerUrls } from './worker-urls.ts'

const ROOT = path.resolve(import.meta.dirname, '..')
const DIST = path.join(ROOT, 'dist')

const PACKAGE = '@anthropic-ai/sandbox-runtime'
const SANDBOX = path.join(ROOT, 'node_modules', PACKAGE)
/** Without the package, what asks for a sandbox is refused as it starts. */
const withSandbox = existsSync(SANDBOX)

/** Only what must stay a package of its own: a native addon, and the runtime the shell is. */
const EXTERNAL = [
  'better-sqlite3',
  'electron',
  ...(withSandbox ? [] : ['linux', 'macos'].map((name) => `${PACKAGE}/dist/sandbox/${name}-sandbox-utils.js`)),
]

/** The program that applies the filter of a sandbox, for each processor: `sandbox/bubblewrap.ts` runs it. */
function copySeccomp(): void {
  if (!withSandbox) return
  for (const arch of ['x64', 'arm64'])
    cpSync(
      path.join(SANDBOX, 'vendor/seccomp', arch, 'apply-seccomp'),
      path.join(DIST, 'seccomp', arch, 'apply-seccomp'),
    )
}

function workerEntries(): Plugin {
  return {
    name: 'worker-entries',
    enforce: 'pre',
    transform(code, id) {
      const replaced = withWorkerUrls(code, id, ({ source, name }) => {
        this.emitFile({ type: 'chunk', id: source, fileName: name })
        return `new URL('./${name}', import.meta.url)`
      })
      return replaced === null ? null : { code: replaced, map: null }
    },
  }
}

/** The same for files that are read as text: `new URL('./x.py', import.meta.url)` names a copy beside the bundle. */
function textFiles(): Plugin {
  return {
    name: 'text-files',
    enforce: 'pre',
    transform(code, id) {
      if (!code.includes('import.meta.url')) return null
      const replaced = code.replace(
        /new URL\(\s*'(\.{1,2}\/[^']+\.py)',\s*import\.meta\.url,?\s*\)/g,
        (_whole, file: string) => {
          const source = path.resolve(path.dirname(id), file)
          const name = path.relative(ROOT, source).replaceAll(path.sep, '-')
          this.emitFile({ type: 'asset', fileName: name, source: readFileSync(source) })
          return `new URL('./${name}', import.meta.url)`
        },
      )
      return replaced === code ? null : { code: replaced, map: null }
    },
  }
}

function nodeProgram(entries: Record<string, string>, outDir: string): InlineConfig {
  return {
    configFile: false,
    root: ROOT,
    logLevel: 'warn',
    plugins: [workerEntries(), textFiles(), plainHttp(), plainUndici()],
    resolve: { conditions: ['node', 'import', 'default'] },
    ssr: { noExternal: true, external: EXTERNAL, target: 'node' },
    build: {
      ssr: true,
      ssrEmitAssets: true,
      outDir,
      emptyOutDir: true,
      target: 'node24',
      minify: 'oxc',
      sourcemap: false,
      rolldownOptions: {
        input: entries,
        external: [...EXTERNAL, ...builtinModules.filter((name) => name !== 'http'), /^node:(?!http$)/],
        // Chunks stay flat, so that a worker's name is right from whichever chunk asks for it.
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  }
}

function preloadProgram(): InlineConfig {
  const base = nodeProgram({ index: path.join(ROOT, 'preload/index.ts') }, path.join(DIST, 'preload'))
  return {
    ...base,
    build: {
      ...base.build,
      // A sandboxed preload is one CommonJS file: it has no modules to import.
      rolldownOptions: {
        input: { index: path.join(ROOT, 'preload/index.ts') },
        external: ['electron'],
        output: { format: 'cjs', entryFileNames: '[name].cjs', codeSplitting: false },
      },
    },
  }
}

/** One file that can be copied anywhere: agents start it with a Node of their own, which may be older than ours. */
function stdioProgram(): InlineConfig {
  const base = nodeProgram({}, path.join(DIST, 'stdio'))
  return {
    ...base,
    build: {
      ...base.build,
      target: 'node20',
      rolldownOptions: {
        input: { 'gantry-stdio': path.join(ROOT, 'gateway/serve-stdio.ts') },
        external: [...builtinModules, /^node:/],
        output: { format: 'es', entryFileNames: '[name].mjs', codeSplitting: false },
      },
    },
  }
}

/** One start and stop of the gateway leaves its compiled code beside it, of all that a start needs: `gateway/serve.ts` reads it. */
async function compileAhead(): Promise<void> {
  const server = await startServer(path.join(DIST, 'gateway', 'serve.js'), { PCG_ENABLED: 'true' })
  await server.stop()
}

type Part = { readonly name: string; readonly run: () => Promise<unknown> }
const PARTS: readonly Part[] = [
  { name: 'renderer', run: () => build({ configFile: path.join(ROOT, 'vite.renderer.config.ts'), logLevel: 'warn' }) },
  {
    name: 'gateway',
    run: () =>
      build(
        nodeProgram(
          { serve: path.join(ROOT, 'gateway/serve.ts'), gantry: path.join(ROOT, 'gateway/gantry.ts') },
          path.join(DIST, 'gateway'),
        ),
      ),
  },
  { name: 'sandbox', run: async () => copySeccomp() },
  { name: 'compiled code', run: compileAhead },
  { name: 'stdio', run: () => build(stdioProgram()) },
  {
    name: 'main',
    async run() {
      const entries = ['index', 'gateway-process'].map((name) => [name, path.join(ROOT, `main/${name}.ts`)])
      await build(nodeProgram(Object.fromEntries(entries), path.join(DIST, 'main')))
      cpSync(path.join(ROOT, 'main', 'icons'), path.join(DIST, 'main', 'icons'), { recursive: true })
    },
  },
  { name: 'preload', run: () => build(preloadProgram()) },
]

export async function buildAll(say: (line: string) => void): Promise<void> {
  // Taken before the work, so that an edit made during it leaves the build stale.
  const seen = sourcesTouched()
  const started = Date.now()
  for (const part of PARTS) {
    say(`building ${part.name}…`)
    await part.run()
  }
  markBuilt(seen)
  say(`built in ${((Date.now() - started) / 1000).toFixed(1)} s`)
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const say = (line: string) => process.stderr.write(`gantry: ${line}\n`)
  if (process.argv.includes('--force') || isStale()) await buildAll(say)
}
