// Finds the shared real inputs beside the project; tests over them say so where they are absent.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../../../shared/corpora')

export const NO_CORPORA = existsSync(ROOT) ? false : 'skipped: no corpora'

export function corpus(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}

export function corpusFiles(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder)).sort()
}

/** The caller names the shape it reads: an expectation file has no schema. */
export function corpusJson(path: string): unknown {
  return JSON.parse(corpus(path))
}

export function corpusLines(path: string): readonly unknown[] {
  const lines = corpus(path).trim().split('\n')
  return lines.map((line): unknown => JSON.parse(line))
}
