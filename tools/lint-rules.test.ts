// The page of lint rules is the table of rules.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { lintRulesPage } from './lint-rules.ts'

it('docs/pcg-lint-rules.md is up to date: node tools/lint-rules.ts', () => {
  expect(readFileSync(new URL('../docs/pcg-lint-rules.md', import.meta.url), 'utf8')).toBe(lintRulesPage())
})
