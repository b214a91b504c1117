// Labels for who answered a call, and for remarks of its result.
import { describe, expect, it } from 'vitest'
import { answererOf, keptOf, remarksOf } from './answered.ts'

describe('an answer', () => {
  it('names its source, also an unknown one', () => {
    expect([null, 'primary', 'pool:7', 'failover', 'elsewhere'].map(answererOf)).toEqual([
      null,
      'its backend',
      'server 7',
      'the failover server',
      'elsewhere',
    ])
    expect([null, 'hit', 'odd'].map(keptOf)).toEqual([null, 'from the cache', 'odd'])
  })

  it.each([undefined, null, 7, {}, { 'gantry/call': 'x' }, { 'gantry/call': { target: 7, truncated: 'yes' } }])(
    'has no remarks in %j',
    (meta) => {
      expect(remarksOf(meta)).toEqual([])
    },
  )

  it('reports unusual properties', () => {
    const message = { target: 'primary', cache: 'coalesced', attempts: 2, truncated: true, flagged: true }
    expect(remarksOf({ 'gantry/call': message })).toEqual([
      'answered by its backend',
      'shared with an identical call',
      '2 attempts',
      'truncated',
      'marked as data',
    ])
  })
})
