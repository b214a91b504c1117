// How many of the tools of a task a search finds: beside plain BM25, and after a team searched for other tasks.
import type { BenchRow } from './index.ts'
import { gantryFinds, learnedRecall, plainBm25, recall } from './tool-catalogue.ts'

const share = (value: number): string => value.toFixed(3)

export function recallRows(): readonly BenchRow[] {
  const [ours, plain] = [recall(gantryFinds), recall(plainBm25())]
  const { before, others, same } = learnedRecall()
  const row = (label: string, found: number, bm25: number, least: number): BenchRow => ({
    label,
    value: share(found),
    beside: `${share(bm25)} plain BM25`,
    aim: `≥ ${least}`,
    met: found >= least && found >= bm25,
  })
  const after = (label: string, found: number, without: number): BenchRow => ({
    label,
    value: share(found),
    beside: `${share(without)} without`,
    aim: 'not below',
    met: found >= without,
  })
  return [
    row('Recall@10 by the question', ours.question, plain.question, 0.48),
    row('Recall@10 by the steps', ours.steps, plain.steps, 0.8),
    after('Half B by the question, after use of half A', others.question, before.question),
    after('Half B by the steps, after use of half A', others.steps, before.steps),
    after('Half B by the steps, after use of its questions', same.steps, before.steps),
  ]
}
