// What is typed as JSON is arguments, or is told not to be.
import { describe, expect, it } from 'vitest'
import { argumentsIn } from './use-arguments.ts'

describe('arguments as JSON', () => {
  it('are no list, no text, no null and no half a record', () => {
    for (const text of ['[]', '"a"', 'null', '1', '{"a":', '{a:1}']) expect(argumentsIn(text)).toHaveProperty('problem')
  })

  it('are a record, and nothing is an empty one', () => {
    expect(argumentsIn('{"a":{"b":null}}')).toEqual({ args: { a: { b: null } } })
    expect(argumentsIn(' ')).toEqual({ args: {} })
  })
})
