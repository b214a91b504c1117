// The tray's words for every state of the gateway.
import { expect, it, onTestFinished } from 'vitest'
import type { GatewayStatus } from '#channels'
import { setLanguage } from './language.ts'
import { trayRows } from './tray-menu.ts'

const status = (state: GatewayStatus['state']): GatewayStatus => ({
  state,
  url: state === 'running' ? 'http://127.0.0.1:8790' : null,
  reason: null,
  movedFrom: null,
})
const deeds = (state: GatewayStatus['state'], pending = 0): string[] =>
  trayRows(status(state), pending).flatMap((row) => (row !== 'separator' && 'does' in row ? row.does : []))

it.each([
  ['running', ['open', 'connections', 'pause', 'quit']],
  ['paused', ['open', 'resume', 'quit']],
  ['safe', ['open', 'resume', 'quit']],
  ['stopped', ['open', 'resume', 'quit']],
  ['starting', ['open', 'quit']],
  ['locked', ['open', 'quit']],
] as const)('offers what can be done while it is %s', (state, expected) => {
  expect(deeds(state)).toEqual(expected)
})

it('shows the address for agents', () => {
  expect(trayRows(status('running'), 0)[0]).toEqual({ label: 'Gantry: Running on 127.0.0.1:8790', enabled: false })
})

it('shows approvals when there are any', () => {
  expect(deeds('running', 2)).toContain('approvals')
  expect(JSON.stringify(trayRows(status('running'), 2))).toContain('2 calls wait for approval')
})

it('is in the language that was chosen, or in that of the system', () => {
  onTestFinished(() => setLanguage('en', []))
  setLanguage('system', ['fr-FR', 'de-AT'])
  expect(JSON.stringify(trayRows(status('running'), 1))).toContain('1 Aufruf wartet auf Freigabe')
  setLanguage('en', ['de-DE'])
  expect(JSON.stringify(trayRows(status('running'), 1))).toContain('1 call waits for approval')
})
