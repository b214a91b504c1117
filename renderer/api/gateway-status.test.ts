// The status of the desktop's gateway: the newest counts, unknown ones are ignored.
import { describe, expect, it } from 'vitest'
import type { GatewayStatus } from '#channels'
import { statusIn, useGatewayStatus, watchGateway } from './gateway-status.ts'

const running: GatewayStatus = { state: 'running', url: 'http://127.0.0.1:1', reason: null, movedFrom: null }
const stopped: GatewayStatus = { state: 'stopped', url: null, reason: 'Port 1 is used', movedFrom: null }

describe('the status of the gateway', () => {
  it('is the last change, not an answer that arrives later', async () => {
    let emit: (data: unknown) => void = () => undefined
    const answer = Promise.resolve(running)
    const leave = watchGateway({
      gatewayStatus: () => answer,
      subscribe: (_topic, listener) => {
        emit = listener
        return () => {
          emit = () => undefined
        }
      },
    })
    emit(stopped)
    await answer
    expect(useGatewayStatus.getState().status).toEqual(stopped)
    emit({ state: 'sleeping' })
    expect(useGatewayStatus.getState().status).toBeNull()
    leave()
    emit(running)
    expect(useGatewayStatus.getState().status).toBeNull()
  })

  it('accepts known states only', () => {
    expect(statusIn(stopped)).toEqual(stopped)
    expect(statusIn({ state: 'running', url: 7, more: 'x' })).toEqual({
      state: 'running',
      url: null,
      reason: null,
      movedFrom: null,
    })
    for (const wrong of [null, 'running', {}, { state: 'asleep' }]) expect(statusIn(wrong)).toBeUndefined()
  })
})
