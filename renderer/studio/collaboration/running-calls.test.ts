import { expect, it } from 'vitest'
import type { StudioEvent } from '../editor/queries.ts'
import { type RunningCall, withEvent } from './running-calls.ts'

const head = { at: '', editor: 'pcg' }
const started = (requestId: string, tool = 'add_pcg_node'): StudioEvent => ({
  ...head,
  type: 'call.started',
  requestId,
  tool,
  actor: 'agent',
  source: 'mcp',
})
const finished = (requestId: string): StudioEvent => ({
  ...head,
  type: 'call.finished',
  requestId,
  ok: true,
  durationMs: 1,
})
const after = (...events: readonly StudioEvent[]): readonly string[] =>
  events.reduce<readonly RunningCall[]>(withEvent, []).map(({ requestId }) => requestId)

it('lists calls in order of arrival until they end', () => {
  expect(after(started('1'), started('2'), started('3'), finished('2'))).toEqual(['1', '3'])
})

it('ignores inspections, and clears calls of a disconnected editor', () => {
  expect(after(started('1', 'get_pcg_node_data'))).toEqual([])
  expect(after(started('1'), { ...head, type: 'editor.status', status: 'error' })).toEqual([])
  expect(after(started('1'), { ...head, type: 'editor.status', status: 'busy' })).toEqual(['1'])
})
