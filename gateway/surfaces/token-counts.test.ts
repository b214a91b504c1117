// Tokens: counted by a tokenizer in a thread, which is reused, and estimated within a known error.
import { afterAll, expect, it } from 'vitest'
import { estimatedTokens } from '../contract/tokens.ts'
import { createTokenCounts } from './token-counts.ts'

const tokens = createTokenCounts()
afterAll(() => tokens.close())

it('counts as the vocabulary o200k does, text that spells a control token too', async () => {
  expect(await tokens.count(['hello world', '<|endoftext|>', '', 'hello world'])).toEqual([2, 7, 0, 2])
  expect(await tokens.count([])).toEqual([])
})

it('counts after its thread ended, and calls that wait together', async () => {
  await tokens.close()
  const counts = await Promise.all(Array.from({ length: 5 }, (_, at) => tokens.count([`text number ${at}`])))
  expect(counts.flat()).toEqual([4, 4, 4, 4, 4])
})

it('the estimate of JSON that tools return is within a third', async () => {
  const items = Array.from({ length: 200 }, (_, id) => ({ id, name: `Item number ${id}`, tags: ['red', 'large'] }))
  const text = JSON.stringify({ items, next: null })
  const [counted = 0] = await tokens.count([text])
  expect(Math.abs(estimatedTokens(text.length) / counted - 1)).toBeLessThan(1 / 3)
})
