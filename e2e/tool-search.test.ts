// Search over real tools: how many of the tools that a task needs are among the first ten.
import { expect, it } from 'vitest'
import { gantryFinds, plainBm25, recall } from '../tools/bench/tool-catalogue.ts'

it('finds more of them than plain BM25, by the question and by its steps', () => {
  const [found, plain] = [recall(gantryFinds), recall(plainBm25())]
  expect(found.question).toBeGreaterThan(Math.max(0.48, plain.question))
  expect(found.steps).toBeGreaterThan(Math.max(0.8, plain.steps))
})
