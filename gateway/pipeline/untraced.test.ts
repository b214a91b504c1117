// A call that no span is made of measures nothing: it carries no record of stages.
import { expect, it } from 'vitest'
import { aCall } from './pipeline.fixture.ts'
import { aRig, done } from './run.fixture.ts'

it.each([
  [false, undefined],
  [true, expect.objectContaining({ attempts: [] })],
])('traced %s, a call has the record %j', async (traced, record) => {
  const seen: unknown[] = []
  const rig = aRig({
    traced,
    dispatch: async ({ stages }) => {
      seen.push(stages)
      return { outcome: done, attempts: 1 }
    },
  })
  await rig.run(aCall())
  expect(seen).toEqual([record])
})
