// Typed JSON becomes arguments or a problem.
import { describe, expect, it } from 'vitest'
import { argumentsIn } from './use-arguments.ts'

describe('arguments as JSON', () => {
  it('reject lists, texts, null and incomplete records', () => {
    for (const text of ['[]', '"a"', 'null', '1', '{"a":', '{a:1}']) expect(argumentsIn(text)).toHaveProperty('problem')
  })

  it('accept a record, and treat empty text as an empty one', () => {
    expect(argumentsIn('{"a":{"b":null}}')).toEqual({ args: { a: { b: null } } })
    expect(argumentsIn(' ')).toEqual({ args: {} })
  })
})
