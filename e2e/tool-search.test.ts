// Search over real tools: how many of the tools that a task needs are among the first ten.
import { expect, it } from 'vitest'
import { gantryFinds, learnedRecall, plainBm25, recall } from '../tools/bench/tool-catalogue.ts'

it('finds more of them than plain BM25, by the question and by its steps', () => {
  const [found, plain] = [recall(gantryFinds), recall(plainBm25())]
  expect(found.question).toBeGreaterThan(Math.max(0.48, plain.question))
  expect(found.steps).toBeGreaterThan(Math.max(0.8, plain.steps))
})

it('finds no fewer after use of other tasks, and more after use of the same tasks in other words', () => {
  const { before, others, same } = learnedRecall()
  expect(others.question).toBeGreaterThanOrEqual(before.question)
  expect(others.steps).toBeGreaterThanOrEqual(before.steps)
  expect(same.steps).toBeGreaterThan(before.steps)
})
