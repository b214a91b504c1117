// A backend inside the process that makes calls wait: a caller that lost its admission by its turn is refused.
import { expect, it } from 'vitest'
import type { LocalBackend } from '../../registry/backend.ts'
import type { AdmitAgain } from '../0-admission/again.ts'
import { aCall } from '../pipeline.fixture.ts'
import { sendLocal } from './send-local.ts'

let done = 0
/** Asks when its turn has come, as the queue of an editor does. */
const local: LocalBackend = {
  description: '',
  tools: [],
  async call(_tool, _args, { mayStart }) {
    if (!(await mayStart?.())) return { ok: false, code: 'EDITOR_ERROR', message: 'not let in' }
    done += 1
    return { ok: true, result: { done } }
  },
}
const send = (admitAgain: AdmitAgain) =>
  sendLocal(local, aCall(), {
    timeoutMs: 1_000,
    shaping: { redact: undefined, transform: undefined },
    structured: true,
    onStart: () => undefined,
    admitAgain,
  })

it('a call whose turn comes too late is refused with what changed, and does nothing', async () => {
  const refused = { kind: 'refused', code: 'disabled', text: 'It is off.' } as const
  expect(await send(async () => refused)).toEqual(refused)
  expect(done).toBe(0)
  expect(await send(async () => undefined)).toMatchObject({ kind: 'ok', result: { structuredContent: { done: 1 } } })
})
