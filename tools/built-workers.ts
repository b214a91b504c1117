// In tests, worker threads run their built chunks when the build is fresh: from source, each thread strips its types again (0.4 s).
import { existsSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Plugin } from 'vite'
import { isStale } from './stale.mjs'
import { withWorkerUrls } from './worker-urls.ts'

const ROOT = path.resolve(import.meta.dirname, '..')

export function builtWorkers(): Plugin {
  const fresh = !isStale()
  return {
    name: 'built-workers',
    enforce: 'pre',
    transform(code, id) {
      const sources = ['gateway', 'pcg-bridge'].map((folder) => path.join(ROOT, folder) + path.sep)
      if (!fresh || id.includes('.test.ts') || !sources.some((folder) => id.startsWith(folder))) return null
      const replaced = withWorkerUrls(code, id, ({ name }) => {
        const chunk = path.join(ROOT, 'dist', 'gateway', name)
        return existsSync(chunk) ? `new URL(${JSON.stringify(pathToFileURL(chunk).href)})` : null
      })
      return replaced === null ? null : { code: replaced, map: null }
    },
  }
}
