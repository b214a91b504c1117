// Main's side of the gateway's process, with real child processes that respond, fail, exit or hang.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { UtilityProcess } from '../e2e/desktop/double/utility-process.ts'
import { type Child, gone, openIn, type Running } from './gateway-child.ts'

const PREPARED = { env: { PORT: '1' }, portFixed: true, lack: null }
const REQUEST = { method: 'GET', path: '/admin-api/overview', headers: {} } as const
const OPENED = { url: 'http://127.0.0.1:1', movedFrom: null, closeWithinMs: 60_000 }

/** Parts of programs that replace the gateway: each is code of its message listener. */
const ANSWERS = `if (message.command === 'open') send({ id: message.id, value: ${JSON.stringify(OPENED)} })`
const ENDS = `if (message.command === 'close') process.exit(0)`

type Opening = {
  readonly opened: Promise<Running>
  readonly child: () => UtilityProcess
  readonly log: () => string
  readonly crashes: string[]
  readonly events: unknown[]
  readonly cut: () => void
}

function open(body: string): Opening {
  const folder = mkdtempSync(path.join(tmpdir(), 'gantry-child-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const program = path.join(folder, 'program.mjs')
  writeFileSync(
    program,
    `const send = (message) => process.parentPort.postMessage(message)
    process.parentPort.on('message', ({ data: message }) => { ${body} })`,
  )
  let log = ''
  let made: UtilityProcess | undefined
  const crashes: string[] = []
  const events: unknown[] = []
  const cutting = new AbortController()
  UtilityProcess.ready = true
  const fork = (): Child => {
    made = UtilityProcess.fork(program, [], { stdio: 'pipe' })
    onTestFinished(() => made?.end())
    return made
  }
  const opened = openIn(fork)(PREPARED, 'running', {
    writeLog: (text) => (log += text),
    onEvent: (event) => events.push(event),
    onCrash: ({ message }) => crashes.push(message),
    signal: cutting.signal,
  })
  const child = (): UtilityProcess => {
    if (!made) throw new Error('nothing was forked')
    return made
  }
  return { opened, child, log: () => log, crashes, events, cut: () => cutting.abort() }
}

describe('the process of the gateway', () => {
  it('is asked with what main prepared, answers, sends and logs', async () => {
    const { opened, events, log } = open(`${ANSWERS}
      if (message.command === 'open') console.log(JSON.stringify([message.mode, message.prepared]))
      if (message.command === 'request') {
        send({ event: { topic: 'audit', data: { id: 1 } } })
        send({ id: message.id, value: { status: 200, headers: {}, body: message.request.path } })
      }
      ${ENDS}`)
    const gateway = await opened
    expect([gateway.url, gateway.movedFrom]).toEqual([OPENED.url, null])
    const answers = await Promise.all(['/a', '/b'].map((at) => gateway.adminRequest({ ...REQUEST, path: at })))
    expect(answers.map(({ body }) => body)).toEqual(['/a', '/b'])
    expect(events).toEqual([1, 2].map(() => ({ topic: 'audit', data: { id: 1 } })))
    await gateway.close()
    expect(log()).toBe(`${JSON.stringify(['running', PREPARED])}\n`)
  })

  it('reports why it did not open, and ends', async () => {
    const { opened, child, crashes } = open(
      `if (message.command === 'open') send({ id: message.id, error: 'Port 1 is used' }); ${ENDS}`,
    )
    await expect(opened).rejects.toThrow('Port 1 is used')
    expect([child().pid, crashes]).toEqual([undefined, []])
  })

  it.each([
    ['exits', 'process.exit(3)', 'ended with code 3'],
    ['throws', `send({ crash: { message: 'a mistake', stack: '' } }); ${ENDS}`, 'a mistake'],
  ])('does not open when it %s, and reports no crash', async (_what, body, reason) => {
    const { opened, child, crashes } = open(body)
    await expect(opened).rejects.toThrow(reason)
    expect([child().pid, crashes]).toEqual([undefined, []])
  })

  it('reports an unexpected exit as a crash and rejects requests with 503', async () => {
    const { opened, crashes } = open(`${ANSWERS}; if (message.command === 'request') process.exit(7)`)
    const gateway = await opened
    expect(await gateway.adminRequest(REQUEST)).toEqual(gone())
    expect(crashes).toEqual(['The process of the gateway ended with code 7.'])
    expect(await gateway.adminRequest(REQUEST)).toEqual(gone())
    await gateway.close()
  })

  it('reports an uncaught exception, and responds until it is closed', async () => {
    const { opened, crashes } = open(`${ANSWERS}
      if (message.command === 'request') { send({ crash: { message: 'a mistake', stack: 'at' } }); send({ id: message.id, value: 1 }) }
      ${ENDS}`)
    const gateway = await opened
    expect(await gateway.adminRequest(REQUEST)).toBe(1)
    expect(crashes).toEqual(['a mistake'])
    await gateway.close()
    expect(crashes).toEqual(['a mistake'])
  })

  it('is killed when it does not close in time', async () => {
    const { opened, child } = open(ANSWERS)
    const gateway = await opened
    const { pid = 0 } = child()
    await gateway.close(100)
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  })

  it('is closed when the application quits before it is open', async () => {
    const { opened, cut } = open(ENDS)
    cut()
    await expect(opened).rejects.toThrow('ended with code 0')
  })
})
