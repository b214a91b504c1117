// The house holds: every rule of the specification is listed once, and cited by a test unless its work is to come.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, it } from 'vitest'
import { allCitations, citationsOf } from './requirements/citations.ts'
import { RULES } from './requirements/index.ts'
import { pendingByWork } from './requirements/pending.ts'
import { type Doc, rule, rules } from './requirements/rule.ts'
import { WORKS } from './requirements/works.ts'

const root = new URL('..', import.meta.url).pathname
const specification = `${root}../shared/spec`
const ids = RULES.map(({ id }) => id)
const citations = allCitations(root, ids)

describe('the rules', () => {
  it('have unique, well-formed ids', () => {
    const twice = ids.filter((id, at) => ids.indexOf(id) !== at)
    const malformed = ids.filter((id) => !/^(?:gw|pcg|ct)(?:\.[a-z0-9][a-z0-9_-]*)+$/.test(id))
    expect({ twice, malformed }).toEqual({ twice: [], malformed: [] })
  })

  it('refuse a row that names no document, no known work or too few columns', () => {
    expect(() => rule('xx.1', '1', '-', 'A sentence.')).toThrow('names no document')
    expect(() => rule('gw.1', '1', 'someday', 'A sentence.')).toThrow('works.ts does not list')
    expect(() => rules('gw', 'slug 1 -')).toThrow('needs 4 columns')
  })

  it('wait only for works that are listed', () => {
    const titles: readonly string[] = Object.values(WORKS).map(({ title }) => title)
    const unknownWork = RULES.filter(({ pending }) => pending !== undefined && !titles.includes(pending))
    expect(unknownWork).toEqual([])
  })

  it.skipIf(!existsSync(specification))(
    `stand on lines that say something${existsSync(specification) ? '' : ' (skipped: no specification beside the project)'}`,
    () => {
      const text = (doc: Doc) => readFileSync(`${specification}/${doc}.md`, 'utf8').split('\n')
      const lines = {
        gateway: text('gateway'),
        'pcg-tools': text('pcg-tools'),
        contract: text('contract'),
        amendments: text('amendments'),
      }
      const blankLines = RULES.filter(({ doc, line }) => !/[a-z]/i.test(lines[doc][line - 1] ?? ''))
      expect(blankLines).toEqual([])
    },
  )
})

describe('the citations', () => {
  it('are read from titles and from lines above table-driven tests', () => {
    // Put together here, so that the scan of this very file does not take them for citations.
    const mark = (...ids: readonly string[]) => `[${ids.join(' ')}]`
    const cites = (...ids: readonly string[]) => ['//', 'cites:', ...ids].join(' ')
    const source = `
      it('closes ${mark('gw.a.1', 'ct.b.2')}', () => {})
      it.each(rows)('answers %s ${mark('gw.a.3')}', () => {})
      ${cites('gw.c.1', 'gw.c.2')}
      for (const row of rows) {`
    expect(citationsOf('x.test.ts', source).map(({ id }) => id)).toEqual([
      'gw.a.1',
      'ct.b.2',
      'gw.a.3',
      'gw.c.1',
      'gw.c.2',
    ])
    const misplaced = `${cites('gw.c.1')}\nconst x = 1`
    expect(() => citationsOf('x.test.ts', misplaced)).toThrow('no test stands')
  })

  it('name rules that exist', () => {
    const known = new Set(ids)
    expect(citations.filter(({ id }) => !known.has(id))).toEqual([])
  })

  it('cover every rule that is not pending', () => {
    const cited = new Set(citations.map(({ id }) => id))
    const uncited = RULES.filter(({ id, pending }) => !pending && !cited.has(id))
    expect(uncited.map((one) => `${one.id}: ${one.rule}`)).toEqual([])
  })

  it('are of no rule that is still marked as pending', () => {
    const waiting = new Set(RULES.filter(({ pending }) => pending).map(({ id }) => id))
    expect(citations.filter(({ id }) => waiting.has(id))).toEqual([])
  })
})

it('reads /proc only in tests that look at the system first', () => {
  const tests = globSync('{gateway,main,pcg-bridge,renderer,preload,e2e}/**/*.{test,fixture}.ts', { cwd: root })
  const reads = tests.filter((file) => /['"`]\/proc\//.test(readFileSync(root + file, 'utf8')))
  expect(reads.length).toBeGreaterThan(5)
  const unguarded = reads.filter((file) => !/\bonLinux\b|process\.platform/.test(readFileSync(root + file, 'utf8')))
  expect(unguarded).toEqual([])
})

it('states of each scenario whether it applies to several instances', () => {
  const table = new Set(readFileSync(`${root}tools/scenarios-on.ts`, 'utf8').split(/[\s'`]+/))
  const scenarios = globSync('e2e/scenarios/*.test.ts', { cwd: root }).map((file) => basename(file, '.test.ts'))
  expect(scenarios.filter((name) => !table.has(name))).toEqual([])
})

it('reports what is pending', () => {
  const { total, byWork } = pendingByWork()
  console.log(
    [`${total} of ${RULES.length} rules wait:`, ...Object.entries(byWork).map((one) => one.join(': '))].join('\n'),
  )
  expect(Object.values(byWork).reduce((sum, count) => sum + count, 0)).toBe(total)
})
