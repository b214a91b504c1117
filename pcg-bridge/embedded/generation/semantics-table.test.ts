// The table of semantics is complete, each class has a test, and the page is that table.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { EXECUTE } from './nodes/index.ts'
import { SEMANTICS, semanticsFiles, semanticsReference, testsOf } from './semantics-table.ts'

it('has a row for every class that is executed, and for no other', () => {
  expect(Object.keys(SEMANTICS).sort()).toEqual(Object.keys(EXECUTE).sort())
})

it.each(Object.keys(EXECUTE))('%s is named by a test that computes its result', (name) => {
  expect(testsOf(name)).not.toEqual([])
})

it('reads every file of tests on semantics', () => {
  const listed = Object.keys(EXECUTE).flatMap((name) => testsOf(name))
  for (const file of semanticsFiles()) expect(listed).toContain(`nodes/${file}`)
})

it('is the text of docs/pcg-semantics.md; regenerate with: node pcg-bridge/embedded/generation/semantics-table.ts', () => {
  const page = readFileSync(new URL('../../../docs/pcg-semantics.md', import.meta.url), 'utf8')
  expect(page).toBe(semanticsReference())
})
