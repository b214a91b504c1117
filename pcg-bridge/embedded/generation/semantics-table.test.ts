// The table of semantics is complete, each class has a test, and the page is that table.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { EXECUTE } from './nodes/index.ts'
import { SEMANTICS, semanticsReference, semanticsTests, testsOf } from './semantics-table.ts'

/** Builders of graphs and levels, and the height field of the sample level, whose hills are no rule of the engine. */
const ALLOWED = [
  'vitest',
  '../graph.fixture.ts',
  '../semantics.fixture.ts',
  '../height-field.ts',
  '../../../editor/document.ts',
]

it('has a row for every class that is executed, and for no other', () => {
  expect(Object.keys(SEMANTICS).sort()).toEqual(Object.keys(EXECUTE).sort())
})

it.each(Object.keys(EXECUTE))('%s is computed another way by a test with its name', (name) => {
  expect(testsOf(name)).not.toEqual([])
})

it('computes without code of the engine: tests of semantics import no node', () => {
  for (const [file, text] of semanticsTests())
    for (const [, from = ''] of text.matchAll(/from '([^']+)'/g))
      expect(ALLOWED, `${file} imports ${from}`).toContain(from)
})

it('is the text of docs/pcg-semantics.md; regenerate with: node pcg-bridge/embedded/generation/semantics-table.ts', () => {
  const page = readFileSync(new URL('../../../docs/pcg-semantics.md', import.meta.url), 'utf8')
  expect(page).toBe(semanticsReference())
})
