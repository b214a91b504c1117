// The official JSON Schema suites: a rate, never a crash, and nothing fetched.
import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { aTool } from '../pipeline.fixture.ts'
import { createValidator } from './validator.ts'

const suites = new URL('../../../e2e/corpora/jsonschema', import.meta.url).pathname

type Group = {
  readonly schema: unknown
  readonly description: string
  readonly tests: readonly { readonly data: unknown; readonly valid: boolean }[]
}

const DIALECTS = {
  'draft2020-12': 'https://json-schema.org/draft/2020-12/schema',
  draft7: 'http://json-schema.org/draft-07/schema#',
}

/** Tools take objects, so each value of the suite is the one argument of a tool. */
function judged(dialect: string, { schema, tests }: Group): { right: number; all: number } {
  const own = typeof schema === 'object' && schema !== null ? schema : {}
  // References of the suite are relative to the root of its schema, so that schema is the root, and objects only are judged.
  if (typeof schema !== 'object') return { right: 0, all: 0 }
  const validate = createValidator(aTool('t', {}, { inputSchema: { $schema: dialect, ...own } }), 'mcp')
  const objects = tests.filter(({ data }) => typeof data === 'object' && data !== null && !Array.isArray(data))
  const right = objects.filter(({ data, valid }) => validate(data as Record<string, unknown>).ok === valid)
  return { right: right.length, all: objects.length }
}

describe.each(Object.entries(DIALECTS))('the official suite of %s', (folder, dialect) => {
  it('is answered as it should be', ({ annotate }) => {
    const files = globSync(`${suites}/${folder}/**/*.json`)
    const groups = files.flatMap((file) => JSON.parse(readFileSync(file, 'utf8')) as Group[])
    const results = groups.map((group) => judged(dialect, group))
    const right = results.reduce((sum, result) => sum + result.right, 0)
    const all = results.reduce((sum, result) => sum + result.all, 0)
    void annotate(`${right} of ${all} (${((100 * right) / all).toFixed(1)} %)`)
    expect(all).toBeGreaterThan(200)
    expect(right / all).toBeGreaterThan(0.9)
  })
})
