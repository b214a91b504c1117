// Every remedy and every message of the linter has a form of its own, so that none stays English in another language.
import { describe, expect, it } from 'vitest'
import { LINT_CASES } from '../pcg-bridge/review/lint/cases.fixture.ts'
import { LINT_RULES, lintGraph } from '../pcg-bridge/review/lint/lint.ts'
import { hasRemedy, messageForm } from '../renderer/studio/findings/lint-words.ts'

describe('findings of the linter in words', () => {
  it('have a form for the remedy of every rule', () => {
    expect(LINT_RULES.filter(({ remedy }) => !hasRemedy(remedy)).map(({ id }) => id)).toEqual([])
  })

  it('have a form for the message of every rule, with the English text where English is shown', () => {
    const messages = LINT_CASES.flatMap(({ fires, clean }) =>
      [...lintGraph(fires), ...lintGraph(clean)].map(({ message }) => message),
    )
    expect(new Set(messages).size).toBeGreaterThan(LINT_RULES.length)
    expect(messages.map(messageForm)).toEqual(messages)
    expect(messageForm('something else')).toBeUndefined()
  })
})
