// Which stages a record makes: their names, order, attempts and lengths.
import { describe, expect, it } from 'vitest'
import { Timing } from '../../net/timing.ts'
import { StageRecord } from '../stage-record.ts'
import { stagesOf } from './stages.ts'

const timing = (began: number, more: Partial<Timing>): Timing => Object.assign(new Timing(), { began, ...more })

function made(record: StageRecord, startedAt = 0) {
  const stages = stagesOf(record, startedAt, (moment) => moment + 1_000)
  return stages.map(({ name, startMs, endMs, attempt, failed }) =>
    [name, startMs - 1_000, endMs - 1_000, attempt, failed].filter((each) => each !== undefined),
  )
}

describe('the stages of a call', () => {
  it('are its guards alone where one refuses', () => {
    const record = new StageRecord()
    record.noted.push({ stage: 'admission', from: 0, to: 1 }, { stage: 'quota', from: 1, to: 3 })
    expect(made(record)).toEqual([['guards', 0, 3]])
  })

  it('have the approval between guards and queue, and leave the layers out', () => {
    const record = new StageRecord()
    record.noted.push(
      { stage: 'arguments', from: 0, to: 1 },
      { stage: 'approval', from: 1, to: 501 },
      { stage: 'cache', from: 501, to: 900 },
      { stage: 'dispatch', from: 502, to: 800 },
    )
    record.attempts.push({ from: 504, to: 800, failed: false, timings: [] })
    expect(made(record)).toEqual([
      ['guards', 0, 1],
      ['approval', 1, 501],
      ['queue', 501, 504],
      ['attempt', 504, 800, 1],
    ])
  })

  it('of an attempt are queue, connect, TLS, wait and body, and of the next one those of a known connection', () => {
    const record = new StageRecord()
    const dial = { from: 3, connected: 5, secured: 9 }
    record.attempts.push(
      { from: 1, to: 20, failed: true, timings: [timing(1, { dial, sent: 9, head: 18, ended: 20 })] },
      { from: 30, to: 40, failed: false, timings: [timing(30, { sent: 30, head: 36, ended: 40 })] },
    )
    expect(made(record)).toEqual([
      ['guards', 0, 0],
      ['queue', 0, 1],
      ['attempt', 1, 20, 1, true],
      ['queue', 1, 3, 1],
      ['connect', 3, 5, 1],
      ['tls', 5, 9, 1],
      ['wait', 9, 18, 1],
      ['body', 18, 20, 1],
      ['backoff', 20, 30],
      ['attempt', 30, 40, 2],
      ['wait', 30, 36, 2],
      ['body', 36, 40, 2],
    ])
  })

  it('end with a failed connection, and with a missing response', () => {
    const record = new StageRecord()
    record.attempts.push(
      { from: 0, to: 10, failed: true, timings: [timing(0, { ended: 10 })] },
      { from: 10, to: 20, failed: true, timings: [timing(10, { sent: 11 })] },
    )
    expect(made(record)).toEqual([
      ['guards', 0, 0],
      ['attempt', 0, 10, 1, true],
      ['connect', 0, 10, 1, true],
      ['backoff', 10, 10],
      ['attempt', 10, 20, 2, true],
      ['queue', 10, 11, 2],
      ['wait', 11, 20, 2],
    ])
  })
})
