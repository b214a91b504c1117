// Jobs beside the main thread: many at once, one that fails, and what is handed over.
import { expect, it } from 'vitest'
import { redaction } from '../../text/redact.ts'
import type { Shaping } from '../shape.ts'
import { transformation } from '../transform.ts'
import { judgedBeside, messagesBeside } from './index.ts'
import { runBeside } from './threads.ts'

const shaping: Shaping = { requestId: 'r', secrets: ['s3same'], redact: undefined, structured: true, maxDepth: 32 }
const answer = (text: string) => ({ status: 200, contentType: 'application/json', body: Buffer.from(text) })
const from = { name: 'up', isGraphql: false }

it('are done for each that asks, with what each was given', async () => {
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, (_, n) => judgedBeside(answer(`{"n":${n},"key":"s3same"}`), from, shaping)),
  )
  for (const [n, outcome] of outcomes.entries())
    expect(outcome).toMatchObject({
      kind: 'ok',
      status: 200,
      result: { structuredContent: { n, key: '[credential removed]' } },
    })
})

it('redact and transform as the main thread does', async () => {
  const transform = transformation([{ op: 'rename', from: 'a', to: 'b' }], 1_000)
  const redact = redaction(['b'])
  const outcome = await judgedBeside(answer('{"a":"x","c":1}'), from, { ...shaping, redact, transform })
  expect(outcome).toMatchObject({ result: { structuredContent: { b: '[REDACTED]', c: 1 } } })
})

it('that fail are reported so, and others go on', async () => {
  const ops = [{ op: 'none' }] as never // no such op: what a defect of ours would look like
  const job = {
    answer: answer('{}'),
    from,
    shaping: { ...shaping, redactPaths: undefined, transform: { ops, mostBytes: 9 } },
  }
  await expect(runBeside('body', job)).rejects.toThrow()
  await expect(messagesBeside('{"jsonrpc":"2.0","method":"a"}', 9)).resolves.toEqual([
    { kind: 'notification', method: 'a', params: {} },
  ])
  await expect(messagesBeside('no json', 9)).rejects.toMatchObject({ kind: 'bad_response' })
})

it('keep a body that lies in memory with others as it is', async () => {
  const pool = Buffer.from('before {"a":1} after')
  const body = pool.subarray(7, 14)
  expect(await judgedBeside({ ...answer(''), body }, from, shaping)).toMatchObject({
    result: { structuredContent: { a: 1 } },
  })
  expect(pool.toString()).toBe('before {"a":1} after')
})
