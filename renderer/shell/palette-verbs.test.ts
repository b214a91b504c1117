// Distinguishes a palette verb from a name with the same start.
import { describe, expect, it } from 'vitest'
import { askedIn } from './palette-verbs.ts'

describe('palette verbs', () => {
  it.each([
    ['', undefined, ''],
    ['disable', undefined, 'disable'],
    ['disabled-things', undefined, 'disabled-things'],
    ['disable ', 'disable', ''],
    ['Disable  pets ', 'disable', 'pets'],
    ['pets disable ', undefined, 'pets disable'],
    ['try list all', 'try', 'list all'],
  ])('%j', (typed, verb, words) => {
    const asked = askedIn(typed)
    expect([asked.verb?.word, asked.words]).toEqual([verb, words])
  })
})
