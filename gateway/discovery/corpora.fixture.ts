// Real inputs with expectations: the large collection where it is beside the project, else the part of it whose licences let it be here.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const OWN = join(import.meta.dirname, '../../e2e/corpora')
const BESIDE = join(import.meta.dirname, '../../../shared/corpora')
const ROOT = existsSync(BESIDE) ? BESIDE : OWN

export function hasCorpus(path: string): boolean {
  return existsSync(join(ROOT, path))
}

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
