// Every regular expression of the product, read from its sources with a parser, so that none can be left out.
import { globSync, readFileSync } from 'node:fs'
import { parse } from '@swc/core'

export type Pattern = {
  /** File and line, and the expression as it is written. */
  readonly name: string
  readonly source: string
  readonly flags: string
}
export type Sources = {
  readonly patterns: readonly Pattern[]
  /** Files that build expressions while they run. */
  readonly builders: readonly string[]
  /** Files that normalize text, which the engine does in quadratic time. */
  readonly normalizers: readonly string[]
}

const FOLDERS = ['gateway', 'pcg-bridge', 'main', 'preload', 'renderer']
const NO_PRODUCT = /\.(?:test|fixture|suite)\.tsx?$|\.d\.ts$/

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

function* nodes(value: unknown): Generator<Readonly<Record<string, unknown>>> {
  if (Array.isArray(value)) for (const each of value) yield* nodes(each)
  if (!isRecord(value) || Array.isArray(value)) return
  yield value
  for (const inner of Object.values(value)) yield* nodes(inner)
}

const nameOf = (value: unknown): unknown => (isRecord(value) ? value.value : undefined)

export async function readSources(root: string): Promise<Sources> {
  const files = globSync(
    FOLDERS.flatMap((folder) => [`${folder}/**/*.ts`, `${folder}/**/*.tsx`]),
    { cwd: root },
  )
    .filter((file) => !NO_PRODUCT.test(file))
    .sort()
  const patterns: Pattern[] = []
  const [builders, normalizers] = [new Set<string>(), new Set<string>()]
  for (const file of files) {
    const text = readFileSync(`${root}/${file}`, 'utf8')
    for (const node of nodes(await parse(text, { syntax: 'typescript', tsx: file.endsWith('x') }))) {
      if (node.type === 'RegExpLiteral') {
        const written = `/${String(node.pattern)}/${String(node.flags)}`
        const line = text.slice(0, text.indexOf(written)).split('\n').length
        patterns.push({
          name: `${file}:${line} ${written}`,
          source: String(node.pattern),
          flags: String(node.flags),
        })
      } else if (node.type === 'NewExpression' || node.type === 'CallExpression') {
        if (nameOf(node.callee) === 'RegExp') builders.add(file)
        if (isRecord(node.callee) && nameOf(node.callee.property) === 'normalize') normalizers.add(file)
      }
    }
  }
  return { patterns, builders: [...builders], normalizers: [...normalizers] }
}
