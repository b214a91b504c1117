// Finds `new URL('./x-worker.ts', import.meta.url)` in a module: the sources name a file, the bundle names a chunk.
import path from 'node:path'

const ROOT = path.resolve(import.meta.dirname, '..')
const WORKER_URL = /new URL\(\s*'(\.{1,2}\/[^']+\.ts)',\s*import\.meta\.url,?\s*\)/g

export type WorkerFile = {
  readonly source: string
  /** File name of the chunk in the bundle. */
  readonly name: string
}

/** Replaces each worker URL by the result of `urlOf`; null when nothing changes. */
export function withWorkerUrls(code: string, id: string, urlOf: (file: WorkerFile) => string | null): string | null {
  if (!code.includes('import.meta.url')) return null
  const replaced = code.replace(WORKER_URL, (whole, file: string) => {
    const source = path.resolve(path.dirname(id), file)
    const name = path.relative(ROOT, source).replaceAll(path.sep, '-').replace(/\.ts$/, '.js')
    return urlOf({ source, name }) ?? whole
  })
  return replaced === code ? null : replaced
}
