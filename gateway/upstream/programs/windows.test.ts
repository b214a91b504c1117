// Local servers on Windows, as far as Wine is one: real processes in real Job Objects. `windows.fixture.ts` runs inside.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { inWine, runInWine, windowsPath } from '../../windows/wine.fixture.ts'

const MINUTES = 5 * 60_000

async function called(url: string): Promise<string> {
  const params = { name: 'echo', arguments: { text: 'hello' } }
  const answer = await fetch(`${url}/mcp/one`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  })
  return answer.text()
}

async function run(...args: readonly string[]): Promise<Record<string, unknown>> {
  const output = await runInWine(path.join(import.meta.dirname, 'windows.fixture.ts'), args)
  return JSON.parse(output.slice(output.lastIndexOf('\n{"') + 1))
}

describe.skipIf(inWine !== '')(`local servers on Windows${inWine}`, () => {
  let seen: Record<string, unknown> = {}
  beforeAll(async () => {
    seen = await run('all')
  }, MINUTES)

  it('a server answers, its memory is measured, and its stop ends three generations, one of them detached', () => {
    expect(seen['stop']).toEqual({ answered: true, before: 3, after: 0, measured: true })
  })

  it('all end with a process that is killed and holds them, detached ones as well', () => {
    expect(seen['killed']).toEqual({ before: 6, gone: true })
  })

  it('what ran before it was held is held as well', () => {
    expect(seen['late']).toEqual({ held: true, gone: true })
  })

  it('one that holds more memory than its limit is ended with that reason', () => {
    expect(seen['memory']).toMatch(/^memory: it was ended because it held \d+ MiB, and its limit is 300 MiB/)
  })

  it('has variables of the system and its own, each once, and none of the gateway', () => {
    expect(seen['environment']).toEqual({
      own: ['C:\\own', 'C:\\mine'],
      twice: 0,
      hasSystemRoot: true,
      hasOfGateway: false,
    })
  })

  it('a batch file is a server, gets arguments as they are, and is refused those that cmd.exe would change', () => {
    expect(seen['batch']).toEqual({
      answered: true,
      reason: expect.stringMatching(/before the handshake\. Last output: a & b \(c\) d\|e f<g>h$/),
      refusal: expect.stringContaining('the argument "%PATH%" contains a quote, a percent sign or a line break'),
    })
  })

  it('the sandbox of the operating system is refused, and nothing is started with less', () => {
    expect(seen['sandbox']).toContain('it asks for the sandbox of the operating system, which is not available')
  })

  it(
    'the whole gateway answers a call to a server of its file, and all of it ends with the gateway',
    async () => {
      const folder = mkdtempSync(path.join(tmpdir(), 'gantry-whole-'))
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
      const running = run('whole', windowsPath(folder))
      const soon = { timeout: MINUTES, interval: 100 }
      const url = await vi.waitFor(() => readFileSync(path.join(folder, 'url'), 'utf8'), soon)
      // The tools of a server are listed after the start of the gateway.
      await vi.waitFor(async () => expect(await called(url)).toContain('"text":"hello"'), soon)
      writeFileSync(path.join(folder, 'called'), '')
      expect(await running).toEqual({ whole: { before: 3, gone: true } })
    },
    MINUTES,
  )
})
